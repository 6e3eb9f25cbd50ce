import Dispatch
import Foundation
import JobKit
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
    let loop: WorkerLoop
    private let places = Mutex<[String?]>([])

    /// Makes a worker that takes nothing yet.
    ///
    /// - Parameters:
    ///   - name: What people know it by.
    ///   - brokers: The broker's nodes, at least one.
    ///   - width: How many tasks run at a time, at least 1.
    ///   - prefetch: How many tasks of a kind it may hold, running ones included; nil for twice
    ///     the width and 16 more. Short tasks on a slow network want
    ///     width × (1 + 2 × round trip / time of a task) or more.
    public init(name: String, brokers: [BrokerAddress], width: Int, prefetch: Int? = nil) {
        precondition(width > 0, "RemoteJobs: a worker's width is at least 1, not \(width)")
        loop = WorkerLoop(
            name: name,
            brokers: brokers,
            width: width,
            prefetch: min(65_535, max(1, prefetch ?? 2 * width + 16))
        )
    }

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
            BrokerName.isValid(Work.name) && !Work.name.contains("."),
            "RemoteJobs: a work's name has 1 to 100 bytes and no dot, unlike \(Work.name)"
        )
        places.withLock { $0.append(place) }
        let route = Layout.route(Work.name, at: place)
        loop.register(RegisteredWork(make), for: route)
    }

    /// Takes tasks until the process gets SIGTERM or the calling task is cancelled.
    ///
    /// Then it takes no more, ends what runs, and gives back what it only held. While there is no
    /// broker it keeps trying.
    ///
    /// - Throws: ``WrongName`` for a place that is empty or too long; ``BrokerRefused``;
    ///   ``BrokerUnreachable`` if there is no broker for the first 30 s.
    public func run() async throws {
        for place in places.withLock({ $0 }) { try BrokerName.check(place: place) }
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { [loop] in loop.drain() }
        source.resume()
        defer {
            source.cancel()
            signal(SIGTERM, SIG_DFL)
        }
        try await withTaskCancellationHandler {
            try await loop.run()
        } onCancel: {
            loop.drain()
        }
    }
}
