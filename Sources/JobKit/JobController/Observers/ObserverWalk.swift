import Foundation
import Synchronization

/// Makes the jobs below an observed one tell its observers too, and their tasks tell of their
/// starts.
struct ObserverWalk {
    private let entries: [JobObservers.Entry]
    /// Whether the observers are told of tasks that were tracked before they came.
    private let isComplete: Bool

    /// Adds an observer to a job, and to all jobs below it.
    static func add(_ observer: any JobObserver, to job: JobController) {
        let rootID = job.eventNumber
        let tasks = job.shell.send { state in
            state.observers.add(observer, rootID: rootID, isComplete: !state.machine.isStarted)
            return state.tasks.operations
        }
        job.shell.traits.insert(.observed)
        let entries = [JobObservers.Entry(observer: observer, rootID: rootID)]
        ObserverWalk(entries: entries, isComplete: false).run(tasks)
    }

    /// Passes observers on to a task, and to everything below it.
    static func passOn(
        _ entries: [JobObservers.Entry],
        to task: Operation,
        isComplete: Bool
    ) {
        let walk = ObserverWalk(entries: entries, isComplete: isComplete)
        walk.run(walk.pass(to: task))
    }

    private func run(_ tasks: [Operation]) {
        var remaining = tasks
        while let task = remaining.popLast() { remaining += pass(to: task) }
    }

    /// Passes the observers on to a task alone; returns the tasks below it that lack them.
    private func pass(to task: Operation) -> [Operation] {
        guard let concurrent = task as? ConcurrentOperation else { return [] }
        concurrent.lifecycle.bitwiseOr(
            OperationLifecycle.observed.rawValue,
            ordering: .acquiringAndReleasing
        )
        return (task as? JobController).map { inherit($0.shell) } ?? []
    }

    /// A job takes over the observers of a job above; returns the tasks to pass them on to.
    private func inherit(_ shell: JobShell) -> [Operation] {
        let tasks = shell.send { state -> [Operation] in
            let new = state.observers.inherit(entries, isComplete: isComplete)
            return new.isEmpty ? [] : state.tasks.operations
        }
        shell.traits.insert(.observed)
        return tasks
    }
}
