import Dispatch
import Foundation
import Synchronization

/// Starting plain operations.
extension TaskQueueShell {
    /// The task queue in which an operation stands.
    static func queue(of operation: Operation) -> TaskQueueShell? {
        guard let concurrent = operation as? ConcurrentOperation else {
            return PlainOperations.queue(of: operation) as? TaskQueueShell
        }
        return concurrent.hooks.withLock { $0.queue } as? TaskQueueShell
    }

    /// Makes a plain operation stand in this queue, unless there is nothing left to start.
    func enterPlain(
        _ operation: Operation,
        _ admission: Admission,
        _ listener: OperationListener? = nil
    ) -> Entry {
        guard !operation.isFinished, !operation.isExecuting else {
            if admission == .demanded { refuse(operation, "has been started") }
            return operation.isFinished ? .hasFinished : .hasStarted
        }
        guard PlainOperations.enter(operation, self, listener) else {
            refuse(operation, "stands in a TaskQueue already")
        }
        return .stands
    }

    /// Starts a plain operation, and delivers to a job what that finished; returns what to start
    /// then.
    ///
    /// Where it finishes inside `start()`, as nearly all do, its finish need not be watched for.
    /// Its dependents are ready before its place is given away.
    func runPlain(_ start: TaskQueueState.Start, _ context: UnsafeMutablePointer<ThreadContext>)
        -> TaskQueueState.Start?
    {
        let operation = start.operation
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        guard priority.rawValue <= start.priority.rawValue else {
            // Others may come before it now.
            send { $0.startPostponed(start.ticket, to: priority) }
            return next()
        }
        _ = context.start(operation, isWorkers: true, limitedQueue: limitedNumber) {
            PlainOperations.start(operation)
        }
        context.pointee.lastFinished = 0
        guard operation.isFinished else {
            PlainOperations.startReturned(operation)
            return next()
        }
        guard let finish = PlainOperations.close(operation) else { return next() }
        // Claimed before the place is given away: a job with mail does not lend its own.
        let delivery = finish.tellJobs()
        let mayLeave = finish.endDependents()
        guard let delivery else {
            return mayLeave ? finishAndTakeNext { $0.plainFinished(start.ticket) } : next()
        }
        if mayLeave { plainFinished(start.ticket) }
        var news = PlaceNews(for: self)
        delivery.deliverAll(&news)
        return next(waiting: news.take())
    }

    /// Reads the priorities of plain operations that are ready: Foundation does not tell of a
    /// change.
    func readPriorities() {
        for operation in ask({ $0.readyPlainOperations }) { operationPriorityChanged(operation) }
    }
}
