import AMQP
import NIOCore

/// The broker's objects: their names, and how they are declared, all in one place.
///
/// A change of what is declared needs a new version, as the broker refuses to declare an object
/// anew in another way.
package enum Layout {
    static let version = "jk1"
    package static let tasks = "\(version).tasks"
    static let suspects = "\(version).suspects"
    static let dead = "\(version).dead"
    static let unclaimed = "\(version).unclaimed"
    static let control = "\(version).control"
    /// Messages that were not used, the latest ones, for a look.
    static let refused = "\(version).refused"

    /// How often a task may come back to its first queue; the next time it is a suspect.
    ///
    /// Once, since a node of a cluster that dies brings back all that was taken there, and may have
    /// led the queue of the suspects: RabbitMQ 3.10.8 goes on to send dead letters to it, and none
    /// of them arrives before the node is back.
    static let returnLimit: Int32 = 1
    /// How often a suspect may come back before the broker itself gives it up.
    ///
    /// A task's own limit is much lower, and enforced by the worker that takes it.
    static let suspectLimit: Int32 = 10_000

    /// How long a broker may take to declare all that is needed, and to begin to deliver.
    static let longestTry = Duration.seconds(20)
    /// How long a broker may take to answer one question.
    static let longestAnswer = Duration.seconds(5)

    /// A job's own queue of a route: jobs that share a route take turns at its workers.
    package static func tasks(_ route: Name, of job: Name) -> String {
        "\(tasks).\(route).\(BrokerName.encoded(job))"
    }
    package static func suspects(_ route: Name) -> String { "\(suspects).\(route)" }
    package static func stream(of job: Name) -> String {
        "\(version).job.\(BrokerName.encoded(job))"
    }
    static func lock(of job: Name) -> String { "\(version).lock.\(BrokerName.encoded(job))" }
    static func presence(of worker: Name) -> String { "\(version).worker.\(worker)" }

    /// The queues that a work's tasks go through.
    package static func route(_ work: Name, at place: Name?) -> Name {
        let name = BrokerName.encoded(work)
        return place.map { "\(name)@\(BrokerName.encoded($0))" } ?? Name(name)
    }

    /// Whether a text may be a route: a work's name or that and a place's, encoded.
    static func isRoute(_ text: String) -> Bool {
        1...200 ~= text.utf8.count && !text.utf8.contains(UInt8(ascii: "."))
    }

    /// The work's name in a route.
    static func work(of route: Name) -> Name {
        guard let at = route.utf8.firstIndex(of: UInt8(ascii: "@")) else { return route }
        return Name(route.text[..<at])
    }

    /// What a job's task for a route is published with.
    package static func key(_ route: Name, job: Name) -> String {
        "\(route).\(BrokerName.encoded(job))"
    }

    /// Declares what all jobs share.
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

    /// Declares what all jobs share of a route.
    static func declareRoute(
        _ route: Name,
        on channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        _ = channel.declareQueue(suspects(route), arguments: quorum(suspectLimit, deadTo: dead))
        return channel.bind(suspects(route), to: suspects, key: "\(route).*")
    }

    /// Declares a route's queues for a job.
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

    /// Declares the stream of a job's truth.
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
