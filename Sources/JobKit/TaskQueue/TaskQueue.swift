import Dispatch
import Foundation

/// A queue of operations with the names of `OperationQueue` and other costs.
///
/// An operation needs no lock object, and a dependency costs the same whatever the order in which
/// it was added. Operations that are ready start by `queuePriority`, within a priority the one added
/// first. Dependencies are honoured across queues of either kind.
///
/// The number of operations that execute is not limited by default, because an asynchronous
/// operation needs no thread; at most 64 threads start them. A queue lives until its operations have
/// ended.
///
/// While a job in a queue of limited width only waits for its tasks, one of them may run in its
/// place: jobs and their tasks can share a queue of width 1.
///
/// The queue decides the `qualityOfService` of its threads; an operation's own counts on an
/// `OperationQueue`. A plain `Operation` with an `isReady` of its own is asked when a dependency
/// has finished.
///
/// > Thread: Every member may be used from any thread.
public final class TaskQueue: OperationScheduling, Sendable {
    /// The queue for work that needs no queue of its own.
    public static let shared = TaskQueue(name: "TaskQueue.shared")

    /// No limit: `Int.max`.
    public static let defaultMaxConcurrentOperationCount = Int.max

    let effects: TaskQueueEffects

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - name: What messages call the queue.
    ///   - maxConcurrentOperationCount: How many operations execute at a time, asynchronous ones
    ///     included; below 1 traps.
    ///   - qualityOfService: The quality of service of the queue's threads.
    public init(
        name: String? = nil,
        maxConcurrentOperationCount: Int = TaskQueue.defaultMaxConcurrentOperationCount,
        qualityOfService: QualityOfService = .default
    ) {
        let name = name ?? "TaskQueue"
        Self.check(maxConcurrentOperationCount, of: name)
        effects = TaskQueueEffects(
            name: name,
            width: maxConcurrentOperationCount,
            quality: DispatchQoS(qualityOfService)
        )
    }

    /// What messages call the queue.
    public var name: String { effects.name }

    /// How many operations execute at a time, asynchronous ones included; below 1 traps.
    ///
    /// May change at any time. Operations that are executing go on when it falls.
    public var maxConcurrentOperationCount: Int {
        get { effects.state.withLock { $0.machine.width } }
        set {
            Self.check(newValue, of: name)
            effects.changeWidth(to: newValue)
        }
    }

    /// Whether the queue starts no further operations.
    ///
    /// What a thread has taken already may still start.
    public var isSuspended: Bool {
        get { effects.state.withLock { $0.machine.isSuspended } }
        set { effects.send { $0.machine.suspensionChanged(to: newValue) } }
    }

    /// Adds an operation, which the queue starts when it is ready and its turn has come.
    ///
    /// The queue retains the operation until it has finished. Traps if the operation stands in a
    /// `TaskQueue`, or was started.
    public func addOperation(_ operation: Operation) {
        effects.add(operation)
    }

    /// Adds operations in order.
    ///
    /// - Parameters:
    ///   - operations: The operations; see ``addOperation(_:)-(Operation)``.
    ///   - waitUntilFinished: Whether to block the thread until all of them have finished. Not for
    ///     `async` code, whose threads must not be blocked.
    public func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
        for operation in operations { effects.add(operation) }
        guard waitUntilFinished else { return }
        for operation in operations { operation.waitUntilFinished() }
    }

    /// Adds a closure as an operation of its own.
    public func addOperation(_ block: @escaping @Sendable () -> Void) {
        effects.add(ClosureOperation(block))
    }

    /// Adds asynchronous work that says itself when it is done.
    ///
    /// - Parameter body: Starts the work, on a thread of the queue. The work ends with the first
    ///   call of `done`, from any thread; an error passed to it becomes the operation's.
    public func addAsynchronousOperation(
        _ body: @escaping @Sendable (_ done: @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) {
        effects.add(AsynchronousClosureOperation(body))
    }

    /// Adds a closure that starts when all operations added before it have finished, and before any
    /// that is added after it.
    ///
    /// A task that a job which is executing adds to the job's own queue belongs before the barrier.
    public func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
        effects.add(ClosureOperation(block), isBarrier: true)
    }

    /// Cancels the operations that wait and those that are executing.
    public func cancelAllOperations() {
        effects.cancelAll()
    }

    /// Blocks the calling thread until no operation is left.
    ///
    /// Not for `async` code.
    @available(*, noasync, message: "It blocks its thread: await a job or a result instead.")
    public func waitUntilAllOperationsAreFinished() {
        effects.waitUntilIdle()
    }

    /// The operations that have not finished, in the order added.
    public var operations: [Operation] { effects.state.withLock { $0.machine.entries } }

    /// How many operations have not finished.
    public var operationCount: Int { effects.state.withLock { $0.machine.count } }

    private static func check(_ width: Int, of name: String) {
        guard width < 1 else { return }
        fatalError(
            "JobKit: maxConcurrentOperationCount of \(name) is \(width); it must be at least 1."
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
