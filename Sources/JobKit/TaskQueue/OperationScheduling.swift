import Foundation

/// Something that starts the operations given to it: an `OperationQueue`, a ``TaskQueue``, or a
/// type of your own.
public protocol OperationScheduling: AnyObject, Sendable {
    /// Adds an operation, to start it once when it is ready.
    func addOperation(_ operation: Operation)

    /// Returns why an operation that this queue holds has not been started, in a few words.
    ///
    /// ``JobController/explainStall(limit:)`` shows the text. The default returns nil, which gives no
    /// reason.
    ///
    /// > Thread: Called by `explainStall` on the calling thread, with no lock held. It must return
    /// > at once, change nothing, and take no lock that a callback could hold.
    ///
    /// - Parameter operation: Any operation, also one that the queue does not hold.
    /// - Returns: The reason, such as `full: disk, where a.jpg executes`; nil if the queue does not
    ///   hold the operation.
    func reasonNotStarted(_ operation: Operation) -> String?
}

extension OperationScheduling {
    /// Returns nil: the queue gives no reason.
    public func reasonNotStarted(_ operation: Operation) -> String? { nil }
}

extension OperationQueue: OperationScheduling {}

/// A queue whose operations JobKit starts, so that their starts are seen.
package protocol StartingQueue: OperationScheduling {}

extension TaskQueue: StartingQueue {}

/// A queue that starts nothing itself and passes each operation on to another queue.
protocol PassingQueue: OperationScheduling {
    /// Where operations are passed on to.
    var queueBelow: any OperationScheduling { get }

    /// Adds an operation; traps if it cannot be added.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - mayHaveStarted: Whether it may have been started, so that nothing is left to add: true
    ///     of a job's task.
    func add(_ operation: Operation, mayHaveStarted: Bool)
}

extension OperationScheduling {
    /// The queue that starts what is added to this one.
    var startingQueue: any OperationScheduling {
        var queue: any OperationScheduling = self
        while let passing = queue as? any PassingQueue { queue = passing.queueBelow }
        return queue
    }

    /// Adds an operation unless it was started.
    func addUnlessStarted(_ operation: Operation) {
        if let queue = self as? TaskQueue {
            queue.shell.add(operation, mayHaveStarted: true)
        } else if let queue = self as? any PassingQueue {
            queue.add(operation, mayHaveStarted: true)
        } else if !operation.isFinished, !operation.isExecuting {
            addOperation(operation)
        }
    }

    /// The shell of a ``TaskQueue``, which the queue retains; nil for any other queue.
    ///
    /// Not retained: each task asks, and would count the reference.
    @inline(__always)
    var taskQueueShell: Unmanaged<TaskQueueShell>? {
        guard self is TaskQueue else { return nil }
        return .passUnretained(unsafeDowncast(self, to: TaskQueue.self).shell)
    }
}
