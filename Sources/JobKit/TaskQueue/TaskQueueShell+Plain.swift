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
    /// Where it finishes inside `start()`, as nearly all do, nobody has to watch for its finish.
    /// Its dependents are ready before its place is given away.
    func runPlain(_ start: Start, _ context: ThreadContext) -> Start? {
        let operation = start.operation
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        guard priority.rawValue <= start.priority.rawValue else {
            postpone(start, to: priority)
            return next()
        }
        _ = context.start(operation, isWorkers: true, limitedQueue: limitedNumber) {
            PlainOperations.start(operation)
        }
        context.lastFinished = 0
        guard operation.isFinished else {
            PlainOperations.startReturned(operation)
            return next()
        }
        guard let finish = PlainOperations.close(operation) else { return next() }
        // Claimed before the place is given away: a job with mail does not lend its own.
        let delivery = finish.tellJobs()
        finish.endDependents()
        guard let delivery else { return finishAndTakeNext { removePlain(start.ticket, &$0) } }
        plainFinished(start.ticket)
        delivery.deliverAll()
        return next()
    }

    /// The operation has become less urgent since it was ready: others may come before it.
    private func postpone(_ start: Start, to priority: TaskPriority) {
        send { state in
            guard state.machine.isCurrent(start.ticket) else { return }
            state.machine.startPostponed(start.ticket.slot, to: priority)
        }
    }

    /// Reads the priorities of plain operations that are ready: Foundation does not tell of a
    /// change.
    func readPriorities() {
        let operations = state.withLock { state -> [Operation] in
            guard state.plainCount > 0 else { return [] }
            return state.machine.readyEntries
        }
        for operation in operations where !(operation is ConcurrentOperation) {
            operationPriorityChanged(operation)
        }
    }

    /// The plain operation has finished.
    func plainFinished(_ ticket: TaskQueueTicket) {
        send { removePlain(ticket, &$0) }?.tellWaiters()
    }

    private func removePlain(_ ticket: TaskQueueTicket, _ state: inout State) -> End? {
        guard state.machine.isCurrent(ticket) else { return nil }
        state.plainCount -= 1
        return remove(ticket.slot, &state)
    }
}
