import Foundation
import Synchronization

/// Adds and removes the observers of a job in all jobs below it.
///
/// It also makes the tasks of these jobs report their starts.
extension JobObservers {
    /// Adds an observer to a job, and to all jobs below it.
    static func add(_ observer: any JobObserver, to job: JobController) {
        let rootID = job.eventNumber
        // Must come before the list is changed, because the tracking of a task reads the list and
        // its finish reads the flag.
        job.shell.features.insert(.observed)
        let (tasks, isComplete) = job.shell.send { $0.addObserver(observer, rootID: rootID) }
        let entry = JobObservers.Entry(observer: observer, rootID: rootID)
        passOn([entry], to: tasks, isComplete: isComplete)
    }

    /// Passes observers on to some tasks, and to everything below them that lacks the observers.
    ///
    /// - Parameters:
    ///   - entries: The observers.
    ///   - tasks: The tasks.
    ///   - isComplete: Whether the observers are notified of tasks that were tracked before they
    ///     came.
    static func passOn(
        _ entries: [JobObservers.Entry],
        to tasks: [JobState.Entry],
        isComplete: Bool
    ) {
        var tasks = tasks
        while let (record, task) = tasks.popLast() {
            guard let nested = jobReporting(task) else { continue }
            tasks += record.passOn(entries, to: nested, isComplete: isComplete)
        }
    }

    /// Removes an observer that was added to a job.
    static func remove(_ observer: any JobObserver, from job: JobController) {
        let rootID = job.eventNumber
        let own = job.shell.ask { $0.entry(of: observer) }
        guard let own, own.rootID == rootID else { return }
        remove([own], from: job, droppedBy: nil, nil)
    }

    /// Removes observers from a job and from all jobs below it.
    ///
    /// Observers that another job passes on stay, and so do those that were added below the job.
    ///
    /// - Parameters:
    ///   - entries: The observers of the job that no longer passes them on.
    ///   - first: The job at which to begin.
    ///   - record: The record of `first` in the job that drops it. Nil if the observers were added
    ///     to `first` itself.
    ///   - removal: Waits for the threads that are notifying them.
    static func remove(
        _ entries: [JobObservers.Entry],
        from first: JobController,
        droppedBy record: TaskRecord?,
        _ removal: ObserverRemoval?
    ) {
        var jobs = [first]
        while let job = jobs.popLast() {
            let keepsOwn = record != nil || job !== first
            let above = TaskRecord.tracking(job).filter { $0 !== record }
                .map { above in above.shell.ask { $0.entriesPassed(to: above) } }
            let here = job.shell.ask { $0.known(entries) }
            var (removed, replacing) = (Set<ObjectIdentifier>(), [JobObservers.Entry]())
            for (entry, known) in zip(entries, here) {
                guard let known, known.rootID == entry.rootID || record != nil,
                    !(keepsOwn && known.rootID == job.eventNumber)
                else { continue }
                let passedOn = above.compactMap { entries in
                    entries.first { $0.observer === entry.observer }
                }
                if let passed = passedOn.first {
                    if passed.rootID != known.rootID { replacing.append(passed) }
                } else {
                    removed.insert(ObjectIdentifier(entry.observer))
                }
            }
            guard !removed.isEmpty || !replacing.isEmpty else { continue }
            let tasks = job.shell.send { [removed, replacing] in
                $0.removeObservers(removed, replacing: replacing, removal)
            }
            jobs += tasks.compactMap { ($0 as? ConcurrentOperation)?.asJob }
        }
    }

    /// Makes a task report its start, and returns it if it is a job, which has its own observers.
    static func jobReporting(_ task: Operation) -> JobController? {
        guard let concurrent = task as? ConcurrentOperation else { return nil }
        concurrent.setFlag(.observed)
        return concurrent.asJob
    }
}
