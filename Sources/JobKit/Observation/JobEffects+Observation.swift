import Foundation
import Synchronization

/// Telling observers. Nothing here is called for a job that nobody observes.
extension JobEffects {
    func addObserver(_ observer: any JobObserver, to job: JobController) {
        state.withLock { state in
            state.observers.add(observer)
            state.owner = job
        }
        isObserved.store(true, ordering: .releasing)
        passOn([observer], to: unfinishedTasks)
    }

    /// Has nested jobs tell the observers too, and tasks that were tracked before tell of their start.
    private func passOn(_ observers: [any JobObserver], to tasks: [Operation]) {
        var remaining = tasks
        while let task = remaining.popLast() {
            guard let concurrent = task as? ConcurrentOperation else { continue }
            concurrent.lifecycle.bitwiseOr(
                OperationLifecycle.observed.rawValue,
                ordering: .acquiringAndReleasing
            )
            guard let job = task as? JobController else { continue }
            let nested = job.effects
            let new = nested.state.withLock { state in
                state.owner = job
                return state.observers.inherit(observers)
            }
            guard !new.isEmpty else { continue }
            nested.isObserved.store(true, ordering: .releasing)
            remaining += nested.unfinishedTasks
        }
    }

    private var unfinishedTasks: [Operation] {
        state.withLock { $0.tasks.records.compactMap(\.task) }
    }

    /// Tells that `task` is tracked, before anything else can be told of it.
    func tellTracked(_ task: Operation, by job: JobController) {
        let place = CallbackPlace.current
        let (observers, cause) = state.withLock { state in
            (state.observers.all, state.observers.callbackPlace == place ? state.causeID : nil)
        }
        let event = JobEvent(.tracked, of: task, parentID: job.eventID, causeID: cause)
        for observer in observers { observer.job(job, didRecord: event) }
        passOn(observers, to: [task])
    }

    /// Tells of the start, the finish or the delivery of a task.
    private func tell(_ kind: JobEvent.Kind, of task: Operation) {
        let (observers, job) = state.withLock { ($0.observers.all, $0.owner) }
        guard let job, !observers.isEmpty else { return }
        let event = JobEvent(
            kind,
            of: task,
            parentID: job.eventID,
            dependencyIDs: kind == .started ? predecessors(of: task) : []
        )
        for observer in observers { observer.job(job, didRecord: event) }
    }

    private func predecessors(of task: Operation) -> [Int] {
        let dependencies = task.dependencies.map(\.eventID)
        guard let task = task as? LaunchTask else { return dependencies }
        return dependencies + task.stagePredecessors
    }

    func tellFinished(_ record: TaskRecord) {
        tell(.finished, about: record)
    }

    /// Tells of a task that the job still waits for, and keeps the job waiting meanwhile: its own finish
    /// is to be the last event.
    private func tell(_ kind: JobEvent.Kind, about record: TaskRecord) {
        let task = state.withLock { state -> Operation? in
            guard !record.isSettled, let task = record.task else { return nil }
            state.observers.tellingBegan(about: record)
            return task
        }
        guard let task else { return }
        tell(kind, of: task)
        let isSettled = state.withLock { $0.observers.tellingEnded(about: record) }
        guard isSettled else { return }
        settle(record)
        deliverElsewhere()
    }

    /// Delivers, noting what causes the tasks that this callback tracks, or that of the group or the
    /// job which follows it.
    func deliverObserved(_ mail: JobMail, to job: JobController) {
        let place = CallbackPlace.current
        let task = state.withLock { state in
            state.observers.callbackPlace = place
            return mail.record?.task
        }
        let id = task?.eventID
        state.withLock { $0.causeID = id }
        mail.deliver(to: job)
        guard let task else { return }
        tell(.delivered, of: task)
    }

    /// Tells the job's own observers of its start or finish.
    func tellOwn(_ kind: JobEvent.Kind, of job: JobController) {
        let observers = state.withLock { $0.observers.own }
        guard !observers.isEmpty else { return }
        let event = JobEvent(kind, of: job, parentID: nil)
        for observer in observers { observer.job(job, didRecord: event) }
    }

    /// Tells the jobs that track `operation` of its start.
    static func tellStarted(_ operation: Operation) {
        if let job = operation as? JobController { job.effects.tellOwn(.started, of: job) }
        guard let concurrent = operation as? ConcurrentOperation else {
            for effects in effectsTracking(operation)
            where effects.isObserved.load(ordering: .acquiring) {
                effects.tell(.started, of: operation)
            }
            return
        }
        for record in concurrent.hooks.withLock({ $0.subscribers })
        where record.effects.isObserved.load(ordering: .acquiring) {
            record.effects.tell(.started, about: record)
        }
    }
}
