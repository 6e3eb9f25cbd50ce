import Foundation
import Synchronization

extension TaskQueueEffects {
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
        guard let concurrent = operation as? ConcurrentOperation else {
            addForeign(operation, admission: admission)
            return
        }
        if enter(concurrent, admission) == .stands { insert(concurrent, isBarrier: isBarrier) }
    }

    /// Adds a job's task, and has the record hear of its finish before anything can start it.
    func addTracked(_ operation: ConcurrentOperation, _ record: TaskRecord) -> Entry {
        let entry = enter(operation, .unlessStarted, record)
        if entry == .stands { insert(operation) }
        return entry
    }

    private func insert(_ concurrent: ConcurrentOperation, isBarrier: Bool = false) {
        let priority = TaskPriority(queuePriority: concurrent.queuePriority.rawValue)
        let isReady = concurrent.isReady
        send { state in
            if state.keptAlive == nil { state.keptAlive = self }
            concurrent.queueSlot = state.machine.entryAdded(
                concurrent,
                priority: priority,
                isReady: isReady,
                isBarrier: isBarrier
            )
            if isBarrier { self.asksForLenders.store(true, ordering: .releasing) }
        }
        // What changed while the operation was on its way in found no slot to change. Lenders are
        // looked for only now: of a job that begins meanwhile, one of both finds the other.
        trackerAdded(to: concurrent)
        if !isReady { lookWhetherReady(concurrent) }
        if TaskPriority(queuePriority: concurrent.queuePriority.rawValue) != priority {
            operationPriorityChanged(concurrent)
        }
    }

    /// What becomes of an operation that is to stand in a queue.
    enum Entry {
        case stands
        /// Somebody else has started it.
        case hasStarted
        case hasFinished
    }

    /// Makes the operation stand in this queue, unless there is nothing left to start.
    private func enter(
        _ operation: ConcurrentOperation,
        _ admission: Admission,
        _ record: TaskRecord? = nil
    ) -> Entry {
        let (standsElsewhere, isClosed) = operation.hooks.withLock { hooks in
            if let record { _ = hooks.subscribe(record) }
            guard hooks.queue == nil else { return (true, hooks.isClosed) }
            if !hooks.isClosed { hooks.queue = self }
            return (false, hooks.isClosed)
        }
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

    /// The nearest jobs that stand in this queue and wait for `operation`, through any jobs between.
    func jobsWaiting(for operation: Operation) -> [ConcurrentOperation] {
        let itself = (operation as? JobController)?.effects.hasPlace(in: self) == true ? 1 : 0
        guard jobCount.load(ordering: .sequentiallyConsistent) > itself else { return [] }
        var found: [ConcurrentOperation] = []
        var level = JobEffects.jobsTracking(operation)
        var seen: Set<ObjectIdentifier> = []
        while !level.isEmpty {
            var above: [JobController] = []
            for job in level where seen.insert(ObjectIdentifier(job)).inserted {
                if job.isExecuting, job.hooks.withLock({ $0.queue }) === self {
                    found.append(job)
                } else {
                    above += JobEffects.jobsTracking(job)
                }
            }
            level = above
        }
        return found
    }

    /// A job began to track an operation that may stand in this queue.
    func trackerAdded(to operation: Operation) {
        guard asksForLenders.load(ordering: .acquiring) else { return }
        let jobs = jobsWaiting(for: operation)
        guard !jobs.isEmpty else { return }
        send { state in
            guard let slot = slot(of: operation, &state) else { return }
            let lenders = jobs.compactMap { self.slot(of: $0, &state) }
            state.machine.lendersFound(lenders, for: slot)
        }
    }

    /// Finds the lenders of all operations, when the width is limited while they stand here.
    func findAllLenders() {
        let operations = state.withLock { $0.machine.entries }
        for operation in operations {
            trackerAdded(to: operation)
            if let job = operation as? JobController { jobWaits(job) }
        }
    }

    /// The job has nothing to run until one of its tasks finishes.
    func jobWaits(_ job: JobController) {
        send { state in
            // It may have got mail since, and have said so already.
            guard job.effects.onlyWaits else { return }
            if let slot = slot(of: job, &state) { state.machine.jobWaits(slot) }
        }
    }

    /// The job is about to run code of its own.
    func jobBusy(_ job: JobController) {
        send { state in
            if let slot = slot(of: job, &state) { state.machine.jobBusy(slot) }
        }
    }
}
