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
/// A task may run more than once: its worker may have died after the work and before the broker
/// heard of it. So what a task does must be idempotent.
public final class RemoteWorker: Sendable {
    /// One for each broker.
    let loops: [WorkerLoop]
    private let places = Mutex<[Name?]>([])

    /// Makes a worker of one broker that takes nothing yet.
    ///
    /// - Parameters:
    ///   - name: What people know it by.
    ///   - brokers: The broker's nodes, at least one.
    ///   - width: How many tasks run at a time, at least 1.
    ///   - prefetch: How many tasks it may hold at most, running ones included; nil for twice the
    ///     width and 16 more. It holds no more than it is going to run in a tenth of a second, but
    ///     the width. Short tasks on a slow network want width × (1 + 2 × round trip / time of a
    ///     task) or more.
    ///   - longestTask: How long a task runs at most, if that is known. The worker says at its start
    ///     that the broker's `consumer_timeout` must be longer, and warns if RabbitMQ's default is
    ///     not. It ends no task.
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

    /// Makes a worker of several independent brokers that takes nothing yet.
    ///
    /// It serves the jobs of all of them; one that cannot be reached is tried for as long as the
    /// worker runs.
    ///
    /// - Parameters:
    ///   - name: What people know it by.
    ///   - brokers: The brokers, at least one, each with its nodes, at least one.
    ///   - width: How many tasks run at a time, at least 1.
    ///   - prefetch: How many tasks of a broker it may hold at most; nil for twice the width and 16
    ///     more.
    ///   - longestTask: How long a task runs at most, if that is known. The worker says at its start
    ///     that the broker's `consumer_timeout` must be longer, and warns if RabbitMQ's default is
    ///     not. It ends no task.
    ///   - logger: Where the worker says what it waits for, and which messages it does not use, at
    ///     level info.
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

    /// How many messages of queues and streams were no tasks or orders; they were moved to the queue
    /// `jk1.refused`.
    public var refusedMessages: Int { loops.reduce(0) { $0 + $1.refusedCount } }

    /// Says how a kind of work is done; before ``run()``.
    ///
    /// - Parameters:
    ///   - work: The kind.
    ///   - place: The place that tasks may name; the worker then takes those tasks, and others only
    ///     if it is registered without a place too. Any text of 1 to 100 bytes.
    ///   - make: Makes the operation of a task. It is started by the worker, cancelled if the
    ///     controller cancels the task, and its value is the task's outcome. Called on any thread.
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

    /// Takes tasks until the process gets SIGTERM or the calling task is cancelled.
    ///
    /// Then it takes no more, ends what runs, and gives back what it only held. While there is no
    /// broker it keeps trying.
    ///
    /// - Throws: ``InvalidNameError`` for a place that is empty or too long; ``BrokerRefusedError``;
    ///   ``BrokerUnreachableError`` if there is no broker for the first 30 s, and only one that is tried.
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
            // One that fails ends the others.
            try await group.waitForAll()
        }
    }
}

extension WorkerLoop {
    /// Runs until it is drained, which it is when the calling task is cancelled.
    fileprivate nonisolated func runUntilCancelled() async throws {
        try await withTaskCancellationHandler {
            try await run()
        } onCancel: {
            drain()
        }
    }
}
