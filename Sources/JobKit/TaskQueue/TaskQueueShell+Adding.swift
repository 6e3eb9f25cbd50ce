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
    func add(_ operation: Operation, mayHaveStarted: Bool = false, isBarrier: Bool = false) {
        if enter(operation, mayHaveStarted: mayHaveStarted).isQueued {
            insert(TaskQueueState.EnqueueRequest(operation, isBarrier: isBarrier))
        }
    }

    /// Adds operations in order, all of them before the first is started.
    func add(_ operations: [Operation]) {
        for operation in operations { _ = enter(operation, mayHaveStarted: false) }
        let requests = operations.map { TaskQueueState.EnqueueRequest($0) }
        let added = send { state in requests.map { state.operationAdded($0, to: self) } }
        for (request, added) in zip(requests, added) {
            arrived(request, added.ticket, hasJob: added.hasJob)
            schedule(added.poll)
        }
    }

    /// Adds a job's task, after registering the listener so that it receives the finish.
    func addTracked(
        _ operation: Operation,
        _ listener: OperationListener,
        of job: ConcurrentOperation
    ) -> QueueEntry {
        let entry = enter(operation, mayHaveStarted: true, listener)
        if entry.isQueued {
            let job = job.holdsPermit(in: self) ? job : nil
            insert(TaskQueueState.EnqueueRequest(operation, job: job))
        }
        return entry
    }

    private func insert(_ request: TaskQueueState.EnqueueRequest) {
        let (ticket, hasJob, poll) = send { $0.operationAdded(request, to: self) }
        arrived(request, ticket, hasJob: hasJob)
        schedule(poll)
    }

    /// Handles changes that happened before the operation had a slot.
    ///
    /// Waiting jobs are searched after the slot exists. Therefore, a job that begins at the same
    /// time finds the operation or is found.
    private func arrived(
        _ request: TaskQueueState.EnqueueRequest,
        _ ticket: TaskQueueTicket,
        hasJob: Bool
    ) {
        let operation = request.operation
        guard request.isPlaced(at: ticket) else { return operationFinished(ticket) }
        // Jobs other than the known one can only exist if several jobs track the operation.
        if !hasJob || operation.isShared { findLenders(of: operation) }
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
        if mayHaveStarted, entry.hasStarted { return entry }
        guard entry.isQueued else {
            refuse(
                operation,
                entry.isElsewhere ? "is in a TaskQueue already" : "has been started"
            )
        }
        return entry
    }

    func refuse(_ operation: Operation, _ reason: String) -> Never {
        fatalError(
            "JobKit: \(operationLabel(operation)) was added to \(name), but it \(reason)."
        )
    }
}
