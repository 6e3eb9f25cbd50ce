import Foundation

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
