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
        var remaining = pass(entries, to: task, isComplete)
        while let task = remaining.popLast() { remaining += pass(entries, to: task, isComplete) }
    }

    /// Passes observers on to a task alone; returns the tasks below it that lack them.
    private static func pass(
        _ entries: [JobObservers.Entry],
        to task: Operation,
        _ isComplete: Bool
    ) -> [Operation] {
        guard let concurrent = task as? ConcurrentOperation else { return [] }
        concurrent.note(.observed)
        guard let shell = (task as? JobController)?.shell else { return [] }
        defer { shell.features.insert(.observed) }
        return shell.send { state in
            let hasNew = state.observers.inherit(entries, isComplete: isComplete)
            return hasNew ? state.tasks.operations : []
        }
    }
}
