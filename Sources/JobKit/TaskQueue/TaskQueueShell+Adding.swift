import Foundation
import Synchronization

extension TaskQueueShell {
    /// Whether adding an operation that cannot be added is a mistake of the caller's.
    enum Admission {
        /// A user's call: traps.
        case demanded
        /// A job's: whatever overtook it, there is nothing left to queue.
        case unlessStarted
    }

    func add(
        _ operation: Operation,
        admission: Admission = .demanded,
        isBarrier: Bool = false
    ) {
        if enter(operation, admission) == .stands {
            insert(TaskQueueState.Arrival(operation, isBarrier: isBarrier))
        }
    }

    /// Adds operations in order, all of them before the first is started.
    func add(_ operations: [Operation]) {
        for operation in operations { _ = enter(operation, .demanded) }
        let arrivals = operations.map { TaskQueueState.Arrival($0) }
        let places = send { state in arrivals.map { state.operationAdded($0, to: self) } }
        for (arrival, place) in zip(arrivals, places) { arrived(arrival, at: place) }
    }

    /// Adds a job's task, and has the listener hear of its finish before anything can start it.
    func addTracked(
        _ operation: Operation,
        _ listener: OperationListener,
        of job: ConcurrentOperation
    ) -> Entry {
        let entry = enter(operation, .unlessStarted, listener)
        if entry == .stands {
            let isHere = job.holdsPlace(in: self)
            insert(TaskQueueState.Arrival(operation, job: isHere ? .passUnretained(job) : nil))
        }
        return entry
    }

    private func insert(_ arrival: TaskQueueState.Arrival) {
        let place = send { state in
            let place = state.operationAdded(arrival, to: self)
            if arrival.isBarrier { noteWhetherLendersMatter(state) }
            return place
        }
        arrived(arrival, at: place)
    }

    /// What changed while the operation was on its way in found no slot to change.
    ///
    /// Lenders are looked for only now: of a job that begins meanwhile, one of the two finds the
    /// other.
    private func arrived(_ arrival: TaskQueueState.Arrival, at place: TaskQueueState.Place) {
        let operation = arrival.operation
        if !arrival.isConcurrent, !PlainOperations.placed(operation, at: place.ticket) {
            return plainFinished(place.ticket)
        }
        // Beside the known lender there may be others only where several jobs track the operation.
        if !place.hasLender || arrival.isShared { lookForLenders(of: operation) }
        if !arrival.isReady { lookWhetherReady(operation) }
        if TaskPriority(queuePriority: operation.queuePriority.rawValue) != arrival.priority {
            operationPriorityChanged(operation)
        }
    }

    /// What becomes of an operation that is to stand in a queue.
    enum Entry {
        case stands
        /// Other code has started it.
        case hasStarted
        case hasFinished
    }

    /// Makes the operation stand in this queue, unless there is nothing left to start.
    private func enter(
        _ operation: Operation,
        _ admission: Admission,
        _ listener: OperationListener? = nil
    ) -> Entry {
        guard operation is ConcurrentOperation else {
            return enterPlain(operation, admission, listener)
        }
        let operation = unsafeDowncast(operation, to: ConcurrentOperation.self)
        let (standsElsewhere, isClosed) = operation.addingListener { $0.enter(self, listener) }
        operation.lifecycle.bitwiseOr(
            OperationLifecycle.queued.rawValue,
            ordering: .acquiringAndReleasing
        )
        let hasStarted = operation.currentLifecycle.contains(.started)
        guard standsElsewhere || hasStarted else { return .stands }
        if !standsElsewhere { operation.hooks.withLock { $0.queue = nil } }
        if admission == .unlessStarted, hasStarted { return isClosed ? .hasFinished : .hasStarted }
        refuse(operation, standsElsewhere ? "stands in a TaskQueue already" : "has been started")
    }

    func refuse(_ operation: Operation, _ reason: String) -> Never {
        fatalError(
            "JobKit: \(operationLabel(operation)) was added to \(name), but it \(reason)."
        )
    }
}
