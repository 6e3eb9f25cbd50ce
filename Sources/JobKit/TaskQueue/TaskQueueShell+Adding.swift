import Foundation
import Synchronization

extension TaskQueueShell {
    /// Adds an operation, and traps if it cannot be added.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - mayHaveStarted: Whether the operation may already have been started, in which case
    ///     nothing is added. True for the task of a job.
    ///   - isBarrier: Whether it runs alone.
    ///   - listener: Added before the operation can finish.
    ///   - job: The job that tracks it.
    /// - Returns: Whether the queue contains it, and if not, the reason.
    @discardableResult
    func add(
        _ operation: Operation,
        mayHaveStarted: Bool = false,
        isBarrier: Bool = false,
        _ listener: OperationListener? = nil,
        of job: ConcurrentOperation? = nil
    ) -> QueueEntry {
        let entry = enter(operation, mayHaveStarted: mayHaveStarted, listener)
        if entry.isQueued {
            let job = job?.holdsPermit(in: self) == true ? job : nil
            let request = TaskQueueState.EnqueueRequest(operation, isBarrier: isBarrier, job: job)
            let ticket = send { $0.operationAdded(request, to: self) }
            arrived(request, ticket)
        }
        return entry
    }

    /// Adds operations in order, all of them before the first is started.
    func add(_ operations: [Operation]) {
        for operation in operations { _ = enter(operation, mayHaveStarted: false) }
        let requests = operations.map { TaskQueueState.EnqueueRequest($0) }
        let tickets = send { state in requests.map { state.operationAdded($0, to: self) } }
        for (request, ticket) in zip(requests, tickets) { arrived(request, ticket) }
    }

    /// Handles changes that happened before the operation had a slot.
    ///
    /// Waiting jobs are searched after the slot exists. Therefore, a job that begins at the same
    /// time finds the operation or is found.
    private func arrived(_ request: TaskQueueState.EnqueueRequest, _ ticket: TaskQueueTicket) {
        let operation = request.operation
        if !request.isConcurrent {
            // Its cancellation is not announced.
            schedule(changePolls { $0.entryAdded(ticket, isSoon: false) })
            guard PlainOperations.placed(operation, at: ticket) else {
                return operationFinished(ticket)
            }
        }
        // Jobs other than the known one can only exist if several jobs track the operation.
        if request.job == nil || operation.isShared { findLenders(of: operation) }
        if !request.isReady { checkReadiness(of: operation) }
        guard request.mayHaveChanged else { return }
        if OperationPriority(of: operation) != request.priority {
            operationPriorityChanged(operation)
        }
        if operation.isCancelled { operationCancelled(operation) }
    }

    /// Enqueues the operation, unless it has already been started.
    private func enter(
        _ operation: Operation,
        mayHaveStarted: Bool,
        _ listener: OperationListener? = nil
    ) -> QueueEntry {
        let entry = operation.enter(self, startsIt: true, listener)
        guard entry.isQueued || mayHaveStarted && entry.hasStarted else {
            let reason = entry.isElsewhere ? "is in a TaskQueue already" : "has been started"
            fatalError(
                "JobKit: \(operationLabel(operation)) was added to \(name), but it \(reason)."
            )
        }
        return entry
    }
}
