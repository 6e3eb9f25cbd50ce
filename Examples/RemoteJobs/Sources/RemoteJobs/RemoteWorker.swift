import Dispatch
import Foundation
import JobKit
import Logging
import Synchronization

/// Takes tasks from a broker and runs them.
///
/// ```swift
/// let worker = RemoteWorker(name: "h2", brokers: brokers, width: 4)
/// worker.register(Thumbnail.self) { input, context in
///     ClosureOperation { try makeThumbnail(input, context) }
/// }
/// try await worker.run()
/// ```
///
/// A task may run more than once, because its worker may die after the work and before the broker
/// receives the outcome. Therefore, the work must be idempotent.
public final class RemoteWorker: Sendable {
    /// One loop for each broker.
    let loops: [WorkerLoop]
    private let places = Mutex<[Name?]>([])

    /// Creates a worker of one broker, which takes no tasks yet.
    ///
    /// - Parameters:
    ///   - name: A name for people.
    ///   - brokers: The broker's nodes, at least one.
    ///   - width: How many tasks run at a time, at least 1.
    ///   - prefetch: The highest number of tasks that the worker holds, including running ones. Nil
    ///     means twice the width and 16 more. It holds no more than it can run in a tenth of a
    ///     second, but at least the width. For short tasks on a slow network, use width × (1 + 2 ×
    ///     round trip / time of a task) or more.
    ///   - longestTask: The longest time of a task, if known. At its start, the worker logs that
    ///     the broker's `consumer_timeout` must be longer, and warns if RabbitMQ's default is not.
    ///     It ends no task.
    public convenience init(
        name: String,
        brokers: [BrokerAddress],
        width: Int,
        prefetch: Int? = nil,
        longestTask: Duration? = nil
    ) {
        self.init(
            name: name,
            brokers: [brokers],
            width: width,
            prefetch: prefetch,
            longestTask: longestTask
        )
    }

    /// Creates a worker of several independent brokers, which takes no tasks yet.
    ///
    /// It serves the jobs of all brokers. It tries to reach an unreachable broker as long as it
    /// runs.
    ///
    /// - Parameters:
    ///   - name: A name for people.
    ///   - brokers: The brokers, at least one, each with its nodes, at least one.
    ///   - width: How many tasks run at a time, at least 1.
    ///   - prefetch: The highest number of tasks that the worker holds for one broker. Nil means
    ///     twice the width and 16 more.
    ///   - longestTask: The longest time of a task, if known. At its start, the worker logs that
    ///     the broker's `consumer_timeout` must be longer, and warns if RabbitMQ's default is not.
    ///     It ends no task.
    ///   - logger: The log for waits and refused messages, at level info.
    public init(
        name: String,
        brokers: [[BrokerAddress]],
        width: Int,
        prefetch: Int? = nil,
        longestTask: Duration? = nil,
        logger: Logger = Logger(label: "RemoteJobs.RemoteWorker")
    ) {
        precondition(width > 0, "RemoteJobs: a worker's width is at least 1, not \(width)")
        precondition(!brokers.isEmpty, "RemoteJobs: a worker has at least one broker")
        let queue = TaskQueue(name: "Worker \(name)", maxConcurrentOperationCount: width)
        let most = min(65_535, max(1, prefetch ?? 2 * min(width, 32_000) + 16))
        loops = brokers.map { nodes in
            WorkerLoop(
                name: Name(name),
                brokers: nodes,
                isOneOfMany: brokers.count > 1,
                width: width,
                prefetch: most,
                longestTask: longestTask,
                queue: queue,
                logger: logger
            )
        }
    }

    /// The number of messages that were neither tasks nor orders.
    ///
    /// They were moved from their queues and streams to the queue `jk1.refused`.
    public var refusedMessages: Int { loops.reduce(0) { $0 + $1.refusedCount } }

    /// Registers the implementation of a kind of work.
    ///
    /// Call it before ``run()``.
    ///
    /// - Parameters:
    ///   - work: The kind of work.
    ///   - place: The place that tasks may name. The worker then takes the tasks of this place. It
    ///     takes other tasks only if the work is also registered without a place. Any text of 1 to
    ///     100 bytes.
    ///   - make: Creates the operation of a task. The worker starts it, and cancels it if the
    ///     controller cancels the task. Its value is the outcome of the task. Called on any thread.
    public func register<Work: RemoteWork>(
        _ work: Work.Type,
        at place: String? = nil,
        _ make:
            @escaping @Sendable (Work.Input, RemoteContext) -> ResultOperation<Work.Output>
    ) {
        precondition(
            BrokerName.isValid(Name(Work.name)) && !Work.name.utf8.contains(UInt8(ascii: ".")),
            "RemoteJobs: a work's name has 1 to 100 bytes and no dot, unlike \(Work.name)"
        )
        let place = place.map { Name($0) }
        places.withLock { $0.append(place) }
        let route = Layout.route(Name(Work.name), at: place)
        let registered = RegisteredWork(make)
        for loop in loops { loop.register(registered, for: route) }
    }

    /// Takes tasks until the process receives SIGTERM or the calling Swift task is cancelled.
    ///
    /// Then it takes no more tasks, finishes the running ones, and returns those that it only
    /// holds. While no broker is reachable, it keeps trying.
    ///
    /// - Throws: ``InvalidNameError`` if a place is empty or too long. ``BrokerRefusedError``.
    ///   ``BrokerUnreachableError`` if the worker has only one broker, and cannot reach it for the
    ///   first 30 s.
    public func run() async throws {
        for place in places.withLock({ $0 }) { try BrokerName.check(place: place) }
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { [loops] in
            for loop in loops { loop.drain() }
        }
        source.resume()
        defer {
            source.cancel()
            signal(SIGTERM, SIG_DFL)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for loop in loops { group.addTask { try await loop.runUntilCancelled() } }
            // If one loop fails, the others end too.
            try await group.waitForAll()
        }
    }
}

extension WorkerLoop {
    /// Runs the loop, and drains it when the calling Swift task is cancelled.
    fileprivate nonisolated func runUntilCancelled() async throws {
        try await withTaskCancellationHandler {
            try await run()
        } onCancel: {
            drain()
        }
    }
}
