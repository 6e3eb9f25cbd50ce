import AMQP
import NIOCore
import NIOPosix
import RemoteJobs

/// Publishing and waiting for confirms, and nothing else: the most that this client can do.
enum BarePublishing {
    /// Publishes messages as a task's is, at most a thousand of them unconfirmed.
    ///
    /// - Returns: Messages a second.
    static func rate(of count: Int, _ address: BrokerAddress) async throws -> Double {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let connection = try await Connection.open(address: address, on: eventLoop)
        let channel = try await eventLoop.flatSubmit { connection.value.openChannel() }.get()
        let queue = "benchmarks.bare"
        try await eventLoop.flatSubmit {
            _ = channel.value.confirmPublications()
            return channel.value
                .declareQueue(
                    queue,
                    arguments: ["x-queue-type": .string("quorum")]
                )
                .map { _ in }
        }
        .get()
        let start = ContinuousClock.now
        let done = eventLoop.makePromise(of: Void.self)
        try await eventLoop.flatSubmit {
            Loop(channel.value, queue, count, done).publish()
            return done.futureResult
        }
        .get()
        let seconds = Double(start.duration(to: .now) / .microseconds(1)) / 1_000_000
        try await eventLoop.flatSubmit { channel.value.deleteQueue(queue) }.get()
        try await eventLoop.submit { connection.value.close() }.get()
        return Double(count) / seconds
    }

    private final class Loop {
        private let channel: AMQP.Channel
        private let queue: String
        private let done: EventLoopPromise<Void>
        private var left: Int
        private var unconfirmed = 0

        init(
            _ channel: AMQP.Channel,
            _ queue: String,
            _ count: Int,
            _ done: EventLoopPromise<Void>
        ) {
            self.channel = channel
            self.queue = queue
            self.done = done
            left = count
        }

        func publish() {
            while left > 0, unconfirmed < 1_000 {
                left -= 1
                unconfirmed += 1
                var properties = MessageProperties()
                properties.deliveryMode = 2
                properties.messageID = "t\(left)"
                let body = ByteBuffer(string: #"{"fails":false,"kills":false,"milliseconds":0}"#)
                channel.publish(to: "", key: queue, properties, body) { [self] _ in
                    unconfirmed -= 1
                    publish()
                }
            }
            if left == 0, unconfirmed == 0 { done.succeed() }
        }
    }
}
