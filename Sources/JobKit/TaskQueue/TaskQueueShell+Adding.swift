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
            insert(TaskQueueState.Arrival(operation, isBarrier: isBarrier))
        }
    }

    /// Adds operations in order, all of them before the first is started.
    func add(_ operations: [Operation]) {
        for operation in operations { _ = enter(operation, mayHaveStarted: false) }
        let arrivals = operations.map { TaskQueueState.Arrival($0) }
        let places = send { state in arrivals.map { state.operationAdded($0, to: self) } }
        for (arrival, place) in zip(arrivals, places) { arrived(arrival, at: place) }
    }

    /// Adds a job's task, after registering the listener so that it receives the finish.
    func addTracked(
        _ operation: Operation,
        _ listener: OperationListener,
        of job: any WaitingJob
    ) -> QueueEntry {
        let entry = enter(operation, mayHaveStarted: true, listener)
        if entry.isQueued {
            let isHere = job.holdsPermit(in: self)
            insert(TaskQueueState.Arrival(operation, job: isHere ? .passUnretained(job) : nil))
        }
        return entry
    }

    private func insert(_ arrival: TaskQueueState.Arrival) {
        let place = send { state in
            let place = state.operationAdded(arrival, to: self)
            if arrival.isBarrier { updateNeedsLending(state) }
            return place
        }
        arrived(arrival, at: place)
    }

    /// Handles changes that happened before the operation had a slot.
    ///
    /// Waiting jobs are searched after the slot exists. Therefore, a job that begins at the same
    /// time finds the operation or is found.
    private func arrived(_ arrival: TaskQueueState.Arrival, at place: TaskQueueState.Place) {
        let operation = arrival.operation
        guard arrival.isPlaced(at: place.ticket) else { return operationFinished(place.ticket) }
        // Jobs other than the known one can only exist if several jobs track the operation.
        if !place.hasJob || arrival.isShared { findLenders(of: operation) }
        if !arrival.isReady { checkReadiness(of: operation) }
        if place.mustLookForCancelled { lookForCancelledLater() }
        guard arrival.mayHaveChanged else { return }
        if TaskPriority(of: operation) != arrival.priority { operationPriorityChanged(operation) }
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
                entry.isElsewhere ? "stands in a TaskQueue already" : "has been started"
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
