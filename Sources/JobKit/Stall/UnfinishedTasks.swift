import Foundation

/// The first unfinished tasks of a job, and the total number of them.
///
/// The entries come from the front of the job's list, and the job stores the counts. Therefore, the
/// cost depends on the number of entries and not on the number of tasks.
///
/// The list also contains tasks that have finished and wait for their callbacks. They are skipped.
/// Because there may be many of them, the list is read page by page, so that the job's lock is held
/// only briefly.
struct UnfinishedTasks<Entry> {
    private(set) var entries: [Entry] = []
    /// How many tasks the job has tracked.
    private(set) var trackedCount = 0
    /// How many of them have finished.
    private(set) var finishedCount = 0
    /// How many of them have failed.
    private(set) var failedCount = 0
    /// How many unfinished tasks are not among the entries.
    private(set) var omittedCount = 0

    /// How many tasks are read while the job's lock is held.
    private static var pageLength: Int { 512 }
    /// The maximum number of attempts to read the list.
    ///
    /// A page begins after the last task of the page before. If the job has delivered that task in
    /// the meantime, reading begins again. The last attempt reads the whole list as one page.
    private static var attempts: Int { 4 }

    /// Reads the tasks of a job.
    ///
    /// - Parameters:
    ///   - shell: The job's shell.
    ///   - limit: The maximum number of entries.
    ///   - entry: Creates the entry of a task, with the job's lock held.
    init(
        of shell: JobShell,
        limit: Int,
        entry: (borrowing JobState, TaskRecord, Operation) -> Entry
    ) {
        for attempt in 1...Self.attempts {
            entries = []
            let length = attempt < Self.attempts ? Self.pageLength : .max
            if read(shell, limit: max(0, limit), pageLength: length, entry) { return }
        }
    }

    /// Reads page by page.
    ///
    /// Returns false if the last task of a page has left the list.
    private mutating func read(
        _ shell: JobShell,
        limit: Int,
        pageLength: Int,
        _ entry: (borrowing JobState, TaskRecord, Operation) -> Entry
    ) -> Bool {
        var page = Page()
        var hasTasks = false
        repeat {
            page.found = []
            let room = limit - entries.count
            let isValid = shell.ask { state in
                (trackedCount, hasTasks) = (state.trackedCount, state.hasUndelivered)
                finishedCount = min(trackedCount, shell.completionQueue.finishedCount)
                failedCount = min(finishedCount, shell.completionQueue.failedCount)
                return page.turn(state, room: room, length: pageLength, entry)
            }
            guard isValid else { return false }
            // Called without the lock, because `isFinished` may be user code.
            for (entry, record, task) in page.found where record.stillWaits(for: task) {
                entries.append(entry)
            }
        } while !page.isLast && entries.count < limit
        // If all tasks were read, the entries are newer than the stored count.
        if page.isLast, hasTasks { finishedCount = trackedCount - entries.count }
        omittedCount = hasTasks ? max(0, trackedCount - finishedCount - entries.count) : 0
        return true
    }

    /// One section of the list, read under the lock at once.
    private struct Page {
        var found: [(entry: Entry, record: TaskRecord, task: Operation)] = []
        /// The last task that was read.
        private var last: TaskRecord?
        /// Whether no task follows the last one.
        private(set) var isLast = false

        /// Reads the next tasks.
        ///
        /// Returns false if the last task that was read has left the list.
        mutating func turn(
            _ state: borrowing JobState,
            room: Int,
            length: Int,
            _ entry: (borrowing JobState, TaskRecord, Operation) -> Entry
        ) -> Bool {
            if let last, !TaskList.holds(last) { return false }
            var count = 0
            var next = state.record(after: last)
            while let record = next, count < length, found.count < room {
                count += 1
                last = record
                if let task = record.task, !record.hasFinished {
                    found.append((entry(state, record, task), record, task))
                }
                next = state.record(after: record)
            }
            isLast = next == nil
            return true
        }
    }
}

extension TaskRecord {
    /// Whether the task is a ``ConcurrentOperation`` that has finished.
    ///
    /// This calls no user code, so it may be read with the lock held.
    fileprivate var hasFinished: Bool {
        unretainedTask?._withUnsafeGuaranteedRef { $0.isFinished } == true
    }

    /// Whether the job waits for the task, even if the task has finished without notifying it.
    fileprivate func stillWaits(for task: Operation) -> Bool {
        !task.isFinished || task.hasFinishedUnannounced(to: self)
    }
}
