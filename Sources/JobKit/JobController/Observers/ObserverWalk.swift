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
        passOn([entry], to: tasks, isComplete: false)
    }

    /// Passes observers on to tasks, and to everything below them that lacks them.
    ///
    /// - Parameters:
    ///   - entries: The observers.
    ///   - tasks: The tasks.
    ///   - isComplete: Whether the observers are notified of tasks that were tracked before
    ///     they came.
    static func passOn(
        _ entries: [JobObservers.Entry],
        to tasks: [Operation],
        isComplete: Bool
    ) {
        var remaining = tasks
        while let task = remaining.popLast() {
            guard let concurrent = task as? ConcurrentOperation else { continue }
            concurrent.lifecycle.bitwiseOr(
                OperationLifecycle.observed.rawValue,
                ordering: .acquiringAndReleasing
            )
            guard let shell = (task as? JobController)?.shell else { continue }
            remaining += shell.send { state in
                let hasNew = state.observers.inherit(entries, isComplete: isComplete)
                return hasNew ? state.tasks.operations : []
            }
            shell.features.insert(.observed)
        }
    }
}
