import Foundation
import Synchronization

/// Adds and removes the observers of a job in all jobs below it.
///
/// It also makes the tasks of these jobs report their starts.
extension JobObservers {
    /// Passes observers on to some tasks, and to everything below them that lacks the observers.
    ///
    /// - Parameters:
    ///   - entries: The observers.
    ///   - tasks: The tasks.
    ///   - isComplete: Whether the observers are notified of tasks that were tracked before they
    ///     came.
    static func passOn(_ entries: [Entry], to tasks: [JobState.Entry], isComplete: Bool) {
        var remaining = [(entries: entries, tasks: tasks)]
        while let (entries, tasks) = remaining.popLast() {
            for (record, task) in tasks {
                guard let nested = record.reportsStart(of: task) else { continue }
                remaining.append(record.passOn(entries, to: nested, isComplete: isComplete))
            }
        }
    }

    /// Removes observers that a job has got from one source from it, and from all jobs below it.
    ///
    /// Observers that another job passes on stay, and so do those that were added below the job.
    ///
    /// - Parameters:
    ///   - entries: The observers.
    ///   - job: The job.
    ///   - record: The record of the job in the job that passed them on. Nil if they were added to
    ///     the job itself.
    ///   - removal: Waits for the threads that are notifying them.
    static func remove(
        _ entries: [Entry],
        from job: JobController,
        passedOnBy record: TaskRecord?,
        _ removal: ObserverRemoval? = nil
    ) {
        var remaining = [(job: job, record: record, entries: entries)]
        while let (job, record, entries) = remaining.popLast() {
            let (removed, tasks) = job.shell.send {
                $0.removeObservers(entries, from: record.map { ObjectIdentifier($0) }, removal)
            }
            if !removed.replaced.isEmpty {
                passOn(removed.replaced, to: tasks, isComplete: false)
            }
            if !removed.entries.isEmpty {
                remaining += tasks.compactMap { record, task in
                    task.asJob.map { ($0, record, removed.entries) }
                }
            }
            // They may have been added again before this removal reached the job.
            if let record {
                let present = record.shell.ask { state in
                    entries.compactMap { state.observers.entry(of: $0.observer) }
                }
                if !present.isEmpty { passOn(present, to: [(record, job)], isComplete: false) }
            }
        }
    }
}
