import AMQP
import NIOCore

/// The names and declarations of all objects at the broker.
///
/// Each change of a declaration needs a new version, because a broker refuses to declare an
/// existing object differently.
package enum Layout {
    static let version = "jk1"
    package static let tasks = "\(version).tasks"
    static let suspects = "\(version).suspects"
    static let dead = "\(version).dead"
    static let unclaimed = "\(version).unclaimed"
    static let control = "\(version).control"
    /// The latest refused messages, for inspection.
    static let refused = "\(version).refused"

    /// How often a task may return to its first queue.
    ///
    /// The next return makes it a suspect. The limit is 1, because a cluster node that dies returns
    /// all tasks that were taken from it. That node may also have led the queue of the suspects.
    /// RabbitMQ 3.10.8 continues to send dead letters to it, and none of them arrives before the
    /// node is back.
    static let returnLimit: Int32 = 1
    /// How often a suspect may return before the broker drops it.
    ///
    /// The worker that takes a task enforces the task's own limit, which is much lower.
    static let suspectLimit: Int32 = 10_000

    /// How long a broker may take for all declarations and the first delivery.
    static let longestTry = Duration.seconds(20)
    /// How long a broker may take to answer one request.
    static let longestAnswer = Duration.seconds(5)

    /// The name of a job's queue for a route.
    ///
    /// Workers serve the queues of several jobs in turn.
    package static func tasks(_ route: Name, of job: Name) -> String {
        "\(tasks).\(route).\(BrokerName.encoded(job))"
    }
    package static func suspects(_ route: Name) -> String { "\(suspects).\(route)" }
    package static func stream(of job: Name) -> String {
        "\(version).job.\(BrokerName.encoded(job))"
    }
    static func lock(of job: Name) -> String { "\(version).lock.\(BrokerName.encoded(job))" }
    static func presence(of worker: Name) -> String { "\(version).worker.\(worker)" }

    /// The route for tasks of a kind of work, with a place if they must run there.
    package static func route(_ work: Name, at place: Name?) -> Name {
        let name = BrokerName.encoded(work)
        return place.map { "\(name)@\(BrokerName.encoded($0))" } ?? Name(name)
    }

    /// Checks that a text can be a route: an encoded work name, with a place or without.
    static func isRoute(_ text: String) -> Bool {
        1...200 ~= text.utf8.count && !text.utf8.contains(UInt8(ascii: "."))
    }

    /// The work's name in a route.
    static func work(of route: Name) -> Name {
        guard let at = route.utf8.firstIndex(of: UInt8(ascii: "@")) else { return route }
        return Name(route.text[..<at])
    }

    /// The routing key of a job's tasks for a route.
    package static func key(_ route: Name, job: Name) -> String {
        "\(route).\(BrokerName.encoded(job))"
    }

    /// Declares the objects that all jobs share.
    package static func declareShared(on channel: AMQP.Channel) -> EventLoopFuture<Void> {
        let fallback: FieldTable = ["alternate-exchange": .string(unclaimed)]
        _ = channel.declareExchange(unclaimed, type: "fanout")
        _ = channel.declareQueue(
            unclaimed,
            arguments: ["x-queue-type": .string("quorum"), "x-max-length": .int32(100_000)]
        )
        _ = channel.bind(unclaimed, to: unclaimed, key: "")
        _ = channel.declareQueue(
            refused,
            arguments: [
                "x-queue-type": .string("quorum"), "x-max-length": .int32(1_000),
                "x-max-length-bytes": .int64(16_000_000),
            ]
        )
        _ = channel.declareExchange(tasks, type: "topic")
        _ = channel.declareExchange(suspects, type: "topic")
        _ = channel.declareExchange(dead, type: "topic", arguments: fallback)
        return
            channel.declareQueue(
                control,
                arguments: [
                    "x-queue-type": .string("stream"), "x-max-age": .string("1D"),
                    "x-stream-max-segment-size-bytes": .int64(10_000_000),
                ]
            )
            .map { _ in }
    }

    /// Declares the objects of a route that all jobs share.
    static func declareRoute(
        _ route: Name,
        on channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        _ = channel.declareQueue(suspects(route), arguments: quorum(suspectLimit, deadTo: dead))
        return channel.bind(suspects(route), to: suspects, key: "\(route).*")
    }

    /// Declares a job's queues for a route.
    package static func declareRoute(
        _ route: Name,
        of job: Name,
        on channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        _ = declareRoute(route, on: channel)
        let queue = tasks(route, of: job)
        _ = channel.declareQueue(queue, arguments: quorum(returnLimit, deadTo: suspects))
        return channel.bind(queue, to: tasks, key: key(route, job: job))
    }

    /// Declares the stream that holds the state of a job.
    package static func declareJob(
        _ job: Name,
        on channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        let stream = stream(of: job)
        _ = channel.declareQueue(
            stream,
            arguments: [
                "x-queue-type": .string("stream"), "x-max-age": .string("7D"),
                "x-stream-max-segment-size-bytes": .int64(100_000_000),
            ]
        )
        return channel.bind(stream, to: dead, key: "*.\(BrokerName.encoded(job))")
    }

    private static func quorum(_ limit: Int32, deadTo exchange: String) -> FieldTable {
        [
            "x-queue-type": .string("quorum"), "x-delivery-limit": .int32(limit),
            "x-dead-letter-exchange": .string(exchange),
            "x-dead-letter-strategy": .string("at-least-once"),
            "x-overflow": .string("reject-publish"),
        ]
    }
}
