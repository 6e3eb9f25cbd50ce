import AMQP
import NIOCore
import NIOPosix
import RemoteJobs

/// Publishes tasks and awaits the confirms, which is the upper bound of this client's rate.
///
/// Each message is a complete task and takes the usual way: mandatory, through the exchange of
/// tasks, into a quorum queue that is declared like that of a route. No consumer takes the
/// messages, because a loop that only publishes needs no reader.
enum BarePublishing {
    private static let job: Name = "bare"
    private static let route = Layout.route(Name(Trial.name), at: "bare")

    /// The target of the messages.
    enum Target {
        /// A quorum queue, as for tasks.
        case queue
        /// A stream, as for outcomes.
        case stream
    }

    /// Publishes messages and measures their rate.
    ///
    /// - Parameters:
    ///   - count: The number of messages.
    ///   - unconfirmed: How many of them may be unconfirmed.
    ///   - target: The target.
    ///   - address: The broker's node.
    /// - Returns: Messages per second, up to the last confirm.
    /// - Throws: A ``ConnectionError``, or the error that prevented the transport.
    static func rate(
        of count: Int,
        unconfirmed: Int = 1_000,
        into target: Target = .queue,
        _ address: BrokerAddress
    ) async throws -> Double {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let connection = try await Connection.open(address: address, on: eventLoop)
        let channel = try await eventLoop.flatSubmit { connection.value.openChannel() }.get()
        try await eventLoop.flatSubmit {
            _ = channel.value.confirmPublications()
            _ = Layout.declareShared(on: channel.value)
            _ = Layout.declareJob(job, on: channel.value)
            return Layout.declareRoute(route, of: job, on: channel.value)
        }
        .get()
        let start = ContinuousClock.now
        let done = eventLoop.makePromise(of: Int.self)
        let confirmed =
            try await eventLoop.flatSubmit {
                Loop(channel.value, count, unconfirmed, target, done).publish()
                return done.futureResult
            }
            .get()
        let seconds = Double(start.duration(to: .now) / .microseconds(1)) / 1_000_000
        precondition(confirmed == count, "The broker has confirmed \(confirmed) of \(count)")
        try await eventLoop.flatSubmit {
            _ = channel.value.deleteQueue(Layout.tasks(route, of: job))
            _ = channel.value.deleteQueue(Layout.stream(of: job))
            return channel.value.deleteQueue(Layout.suspects(route))
        }
        .get()
        try await eventLoop.submit { connection.value.close() }.get()
        return Double(count) / seconds
    }

    private final class Loop {
        private let channel: AMQP.Channel
        private let most: Int
        private let target: Target
        private let done: EventLoopPromise<Int>
        private let life = PublicationID.newLife()
        private let body = try? Envelope.body(of: Trial.Input())
        private var left: Int
        private var unconfirmed = 0
        private var confirmed = 0

        init(
            _ channel: AMQP.Channel,
            _ count: Int,
            _ most: Int,
            _ target: Target,
            _ done: EventLoopPromise<Int>
        ) {
            self.channel = channel
            self.most = most
            self.target = target
            self.done = done
            left = count
        }

        func publish() {
            while left > 0, unconfirmed < most {
                left -= 1
                unconfirmed += 1
                let properties = Envelope.task(
                    job: job,
                    route: route,
                    key: "t\(left)",
                    id: PublicationID(life: life, number: left),
                    digest: UInt64(left),
                    limit: 3
                )
                channel.publish(
                    to: target == .queue ? Layout.tasks : "",
                    key: target == .queue
                        ? Layout.key(route, job: job) : Layout.stream(of: job),
                    properties,
                    body ?? ByteBuffer()
                ) { [self] outcome in
                    unconfirmed -= 1
                    confirmed += outcome == .confirmed ? 1 : 0
                    publish()
                }
            }
            if left == 0, unconfirmed == 0 { done.succeed(confirmed) }
        }
    }
}
