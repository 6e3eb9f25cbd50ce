import Foundation
import Synchronization

/// Makes the jobs below an observed one notify its observers too, and their tasks report their
/// starts.
enum ObserverWalk {
    /// Adds an observer to a job, and to all jobs below it.
    static func add(_ observer: any JobObserver, to job: JobController) {
        let rootID = job.eventNumber
        let tasks = job.shell.send { state in
            state.observers.add(observer, rootID: rootID, isComplete: !state.machine.isStarted)
            return state.tasks.operations
        }
        job.shell.features.insert(.observed)
        let entry = JobObservers.Entry(observer: observer, rootID: rootID)
        for task in tasks { passOn([entry], to: task, isComplete: false) }
    }

    /// Passes observers on to a task, and to everything below it that lacks them.
    ///
    /// - Parameters:
    ///   - entries: The observers.
    ///   - task: The task.
    ///   - isComplete: Whether the observers are notified of tasks that were tracked before they
    ///     came.
    static func passOn(_ entries: [JobObservers.Entry], to task: Operation, isComplete: Bool) {
        guard let job = jobReporting(task) else { return }
        var jobs = [job]
        while let job = jobs.popLast() {
            let tasks = job.shell.send { state in
                let hasNew = state.observers.inherit(entries, isComplete: isComplete)
                return hasNew ? state.tasks.operations : []
            }
            job.shell.features.insert(.observed)
            jobs += tasks.compactMap { jobReporting($0) }
        }
    }

    /// Has a task report its start; returns it if it is a job, and so has observers of its own.
    private static func jobReporting(_ task: Operation) -> JobController? {
        guard let concurrent = task as? ConcurrentOperation else { return nil }
        concurrent.note(.observed)
        return concurrent.asJob
    }
}
