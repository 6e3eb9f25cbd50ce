import Dispatch
import Foundation

/// A queue of operations with the interface of `OperationQueue` and lower costs.
///
/// Adding a dependency takes constant time, regardless of the order. Ready operations start by
/// `queuePriority`, and within a priority in the order added. Dependencies work across queues of
/// either kind.
///
/// By default, the number of executing operations is unlimited, because an asynchronous operation
/// needs no thread. At most 64 threads start them. A queue stays alive until its operations have
/// ended.
///
/// While a job in a limited queue waits for its tasks, one of them may run with the job's permit.
/// Therefore, jobs and their tasks can share a queue that is limited to 1.
///
/// The queue's `qualityOfService` applies to its threads. The `qualityOfService` of an operation is
/// ignored.
///
/// Foundation reveals less about a plain `Operation`, one that is not a ``ConcurrentOperation``:
///
/// - Its `queuePriority` is read when it is added, when its dependencies have finished, when the
///   queue is resumed or changes its concurrency limit, and when its turn comes. If the priority
///   was lowered by then, other operations start first. If it is raised later, it counts from the
///   next of these moments.
/// - If its own `isReady` is false although its dependencies have finished, it is checked again
///   within 100 ms.
/// - If it is cancelled while it waits, through the queue or a job, a `BlockOperation` ends at
///   once, even if the queue is suspended or full. Another class waits for its turn, because it may
///   run code. A direct call of its `cancel()` is detected within 100 ms if up to ten thousand
///   operations wait.
/// - A dependency that is added after the queue has last checked, but before `start()`, comes too
///   late, and Foundation traps. Add dependencies before the operation can be ready.
///
/// > Thread: Every member may be used from any thread.
public final class TaskQueue: OperationScheduling, Sendable {
    /// A queue for work that does not need its own queue.
    public static let shared = TaskQueue(name: "TaskQueue.shared")

    /// No limit: `Int.max`.
    public static let defaultMaxConcurrentOperationCount = Int.max

    /// The quality of service of the queue's threads.
    public let qualityOfService: QualityOfService

    let shell: TaskQueueShell

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - name: The queue's name in messages.
    ///   - maxConcurrentOperationCount: How many operations execute at a time, including
    ///     asynchronous ones. `OperationQueue.defaultMaxConcurrentOperationCount` means no limit.
    ///     Any other number below 1 traps.
    ///   - qualityOfService: The quality of service of the queue's threads.
    public init(
        name: String? = nil,
        maxConcurrentOperationCount: Int = TaskQueue.defaultMaxConcurrentOperationCount,
        qualityOfService: QualityOfService = .default
    ) {
        let name = name ?? "TaskQueue"
        self.qualityOfService = qualityOfService
        shell = TaskQueueShell(
            name: name,
            concurrencyLimit: Self.limit(maxConcurrentOperationCount, of: name),
            quality: DispatchQoS(qualityOfService)
        )
    }

    /// The queue's name in messages.
    public var name: String { shell.name }

    /// How many operations execute at a time, including asynchronous ones.
    ///
    /// May change at any time. Executing operations continue when it is lowered.
    /// `OperationQueue.defaultMaxConcurrentOperationCount`, which is -1, means no limit. Any other
    /// number below 1 traps.
    public var maxConcurrentOperationCount: Int {
        get { shell.ask { $0.machine.concurrencyLimit } }
        set { shell.changeLimit(to: Self.limit(newValue, of: name)) }
    }

    /// Whether the queue starts no further operations.
    ///
    /// An operation that a thread has already taken may still start.
    public var isSuspended: Bool {
        get { shell.ask { $0.machine.isSuspended } }
        set { shell.suspend(newValue) }
    }

    /// Adds an operation, which the queue starts when it is ready and its turn has come.
    ///
    /// The queue retains the operation until it has finished. Traps if the operation is already in
    /// a `TaskQueue` or was started.
    public func addOperation(_ operation: Operation) {
        shell.add(operation)
    }

    /// Returns why an operation in this queue has not been started, or nil for any other operation.
    public func reasonNotStarted(_ operation: Operation) -> String? {
        operation.containingQueue === shell ? shell.reasonsNotStarted(at: .now)(operation) : nil
    }

    /// Adds operations in order, all of them before the first starts.
    ///
    /// - Parameter operations: The operations. See ``addOperation(_:)-(Operation)``.
    public func addOperations(_ operations: [Operation]) {
        shell.add(operations)
    }

    /// Adds operations in order, and optionally blocks the thread until they have finished.
    ///
    /// Otherwise like ``addOperations(_:)``. Unavailable from `async` code, which must not block
    /// its threads.
    ///
    /// - Parameters:
    ///   - operations: The operations.
    ///   - waitUntilFinished: Whether to return only when all of them have finished.
    @available(
        *,
        noasync,
        message: "It may block its thread: await addOperationsAndWait(_:) instead."
    )
    public func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
        shell.add(operations)
        guard waitUntilFinished else { return }
        for operation in operations { operation.waitUntilFinished() }
    }

    /// Adds operations like ``addOperations(_:)``, and waits until all of them have finished.
    ///
    /// Blocks no thread. A cancelled Swift task keeps waiting, and cancels none of the operations.
    public func addOperationsAndWait(_ operations: [Operation]) async {
        shell.add(operations)
        for operation in operations { await operation.waitForFinish(only: true) }
    }

    /// Adds a closure as an operation.
    public func addOperation(_ block: @escaping @Sendable () -> Void) {
        shell.add(ClosureOperation(block))
    }

    /// Adds asynchronous work that reports when it is done.
    ///
    /// - Parameter body: Starts the work on a thread of the queue. The work ends with the first
    ///   call of `done`, from any thread. An error that is passed to `done` becomes the error of
    ///   the operation.
    public func addAsynchronousOperation(
        _ body: @escaping @Sendable (_ done: @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) {
        shell.add(
            CallbackOperation<Void> { done in
                body { error in done(error.map { .failure($0) } ?? .success(())) }
            }
        )
    }

    /// Adds a closure that starts after all earlier operations have finished, and before any later
    /// one.
    ///
    /// Tasks that an executing job adds to its own queue count as earlier than the barrier.
    public func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
        shell.add(ClosureOperation(block), isBarrier: true)
    }

    /// Cancels all operations, waiting and executing, as one decision.
    ///
    /// No operation that was waiting at that time enters `main()` after this call. A waiting
    /// ``ConcurrentOperation`` or `BlockOperation` finishes soon, even if the queue is suspended,
    /// full or waits at a barrier.
    public func cancelAllOperations() {
        shell.cancelAll()
    }

    /// Blocks the calling thread until no operation is left.
    ///
    /// Unavailable from `async` code. Await ``waitForAllOperations()`` there.
    @available(*, noasync, message: "It blocks its thread: await waitForAllOperations() instead.")
    public func waitUntilAllOperationsAreFinished() {
        shell.waitUntilIdle()
    }

    /// Waits until no operation is left, or returns at once if there is none.
    ///
    /// Blocks no thread. Also waits for operations that are added in the meantime, until the queue
    /// is empty for a moment. A cancelled Swift task keeps waiting, and cancels no operation.
    public func waitForAllOperations() async {
        await shell.idle()
    }

    /// The operations that have not finished, in the order added.
    public var operations: [Operation] { shell.ask { $0.machine.entries() } }

    /// How many operations have not finished.
    public var operationCount: Int { shell.ask { $0.machine.count } }

    static func limit(_ count: Int, of name: String) -> Int {
        if count == OperationQueue.defaultMaxConcurrentOperationCount {
            return defaultMaxConcurrentOperationCount
        }
        guard count < 1 else { return count }
        fatalError(
            "JobKit: maxConcurrentOperationCount of \(name) is \(count); it must be at least 1."
        )
    }
}

extension DispatchQoS {
    fileprivate init(_ quality: QualityOfService) {
        self =
            switch quality {
            case .userInteractive: .userInteractive
            case .userInitiated: .userInitiated
            case .utility: .utility
            case .background: .background
            default: .default
            }
    }
}
