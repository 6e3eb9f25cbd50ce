import Foundation
import Synchronization

/// Telling observers. Nothing here is called for a job without observers.
extension JobShell {
    func addObserver(_ observer: any JobObserver, to job: JobController) {
        let rootID = job.eventNumber
        let tasks = send { state in
            state.observers.add(
                observer,
                rootID: rootID,
                isComplete: !state.machine.isStarted
            )
            return state.tasks.operations
        }
        traits.insert(.observed)
        let entries = [JobObservers.Entry(observer: observer, rootID: rootID)]
        for task in tasks { passOn(entries, to: task, isComplete: false) }
    }

    /// Makes a nested job tell the observers too, and any task tell of its start.
    private func passOn(_ entries: [JobObservers.Entry], to task: Operation, isComplete: Bool) {
        guard let concurrent = task as? ConcurrentOperation else { return }
        concurrent.lifecycle.bitwiseOr(
            OperationLifecycle.observed.rawValue,
            ordering: .acquiringAndReleasing
        )
        guard let job = task as? JobController else { return }
        var remaining = job.shell.inherit(entries, isComplete: isComplete)
        while let task = remaining.popLast() {
            guard let concurrent = task as? ConcurrentOperation else { continue }
            concurrent.lifecycle.bitwiseOr(
                OperationLifecycle.observed.rawValue,
                ordering: .acquiringAndReleasing
            )
            guard let job = task as? JobController else { continue }
            remaining += job.shell.inherit(entries, isComplete: isComplete)
        }
    }

    /// Takes over the observers of a job above; returns the tasks to pass them on to.
    private func inherit(_ entries: [JobObservers.Entry], isComplete: Bool) -> [Operation] {
        let tasks = send { state -> [Operation] in
            let new = state.observers.inherit(entries, isComplete: isComplete)
            return new.isEmpty ? [] : state.tasks.operations
        }
        traits.insert(.observed)
        return tasks
    }

    // MARK: Tasks

    /// Tells that a task is tracked, before anything else can be told of it.
    func tellTracked(_ record: TaskRecord, _ news: TaskNews) {
        news.tell(.tracked, at: .now)
        passOn(news.entries, to: news.task, isComplete: true)
        tellingEnded(about: record, told: news.entries)
    }

    /// Tells of the start of a task, unless the job no longer waits for it.
    func tellStarted(_ record: TaskRecord) {
        tell(.started, about: record)
    }

    /// Tells of the finish of a task, unless the job no longer waits for it.
    func tellFinished(_ record: TaskRecord) {
        tell(.finished, about: record)
    }

    private func tell(_ kind: JobEvent.Kind, about record: TaskRecord) {
        let time = EventTime.now
        let news = send { $0.eventBegan(kind, of: record, at: time) }
        guard let news else { return }
        news.tell(kind, at: time)
        tellingEnded(about: record, told: news.entries)
    }

    /// Tells that the job waits for a task no longer; the caller's ``settle(_:hasFinished:)`` has
    /// begun the telling.
    func tellDropped(_ record: TaskRecord, _ news: TaskNews?) {
        tellDropped(record, news) { [self] in
            tellingEnded(about: record, told: news?.entries ?? [])
        }
    }

    /// Does what could not be done while an observer was being told of the task.
    func tellingEnded(about record: TaskRecord, told entries: [JobObservers.Entry]) {
        switch record.change({ $0.end() }) {
        case .none:
            break
        case .leaveEnds(let tellsDrop):
            endLeave(of: record, telling: tellsDrop ? entries : []) { [self] in
                tellingEnded(about: record, told: entries)
            }
        case .settle:
            settle(record)
            deliverElsewhere()
        }
    }

    // MARK: Callbacks

    /// Delivers a task, and tells that its callbacks have returned, if its finish was told.
    func deliverObserved(_ mail: JobMail, to job: JobController) {
        mail.deliver(to: job)
        guard let record = mail.record, record.endIsTold else { return }
        let news = send { $0.news(of: record) }
        news?.tell(.delivered, at: .now)
    }

    // MARK: The job itself

    /// Tells the job's own observers of its start or finish.
    func tellOwn(_ kind: JobEvent.Kind, of job: JobController) {
        let id = job.eventNumber
        let entries = send { $0.observers.entries }
        guard entries.contains(where: { $0.rootID == id }) else { return }
        let time = EventTime.now
        let startTime = send { state in
            if kind == .started { state.observers.jobStarted(at: time) }
            return state.observers.startTime
        }
        let event = JobEvent(kind, ofObserved: job, startTime: startTime, time: time)
        for entry in entries where entry.rootID == id { entry.observer.job(job, didRecord: event) }
    }
}
