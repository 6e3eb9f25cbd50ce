import Foundation

/// A queue that lets JobKit start its operations, so their starts are observed.
package protocol StartingQueue: OperationScheduling {}

extension TaskQueue: StartingQueue {}

/// A queue that starts nothing itself, but passes each operation on to another queue.
protocol PassingQueue: OperationScheduling {
    /// The queue that receives the operations.
    var queueBelow: any OperationScheduling { get }

    /// Adds an operation, and traps if it cannot be added.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - mayHaveStarted: Whether the operation may already have been started, in which case
    ///     nothing is added. True for the task of a job.
    func add(_ operation: Operation, mayHaveStarted: Bool)
}

extension OperationScheduling {
    /// The queue that starts the operations added to this one.
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

    /// The shell of a ``TaskQueue``, or nil for any other queue.
    ///
    /// Not retained, because the queue retains it, and a retain for each task would cost time.
    @inline(__always)
    var taskQueueShell: Unmanaged<TaskQueueShell>? {
        guard self is TaskQueue else { return nil }
        return .passUnretained(unsafeDowncast(self, to: TaskQueue.self).shell)
    }
}
