import Foundation

/// The first of a job's unfinished tasks, and how many it has in all.
///
/// The entries come from the front of the job's list, and the job keeps the counts: a few of
/// 100,000 tasks cost what the few cost. Only tasks that have finished and wait for their callbacks
/// are skipped, a page at a time, so that the job's lock is held briefly. The last attempt, where
/// the list keeps changing between pages, reads it in one.
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
    /// How often the list is read at most: reading fails where the job delivers the last task of a
    /// page, and the last time reads a single page.
    private static var attempts: Int { 4 }

    /// Asks a job.
    ///
    /// - Parameters:
    ///   - shell: The job's.
    ///   - limit: The maximum number of entries.
    ///   - entry: Makes the entry of a task, with the job's lock held.
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

    /// Reads page after page; returns false where the last task of a page has left the list.
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
                (trackedCount, hasTasks) = (state.tasks.trackedCount, !state.tasks.isEmpty)
                finishedCount = min(trackedCount, shell.mailbox.finishedCount)
                failedCount = min(finishedCount, shell.mailbox.failedCount)
                return page.turn(state, room: room, length: pageLength, entry)
            }
            guard isValid else { return false }
            // Whether an operation has finished may be a user's code: without the lock.
            for (entry, record, task) in page.found where record.stillWaits(for: task) {
                entries.append(entry)
            }
        } while !page.isLast && entries.count < limit
        // Where all tasks were read, that is newer than the count.
        if page.isLast, hasTasks { finishedCount = trackedCount - entries.count }
        omittedCount = hasTasks ? max(0, trackedCount - finishedCount - entries.count) : 0
        return true
    }

    /// What is read of the list at a time.
    private struct Page {
        var found: [(entry: Entry, record: TaskRecord, task: Operation)] = []
        /// The last task that was read.
        private var last: TaskRecord?
        /// Whether there is none behind it.
        private(set) var isLast = false

        /// Reads on; returns false if the last task has left the list.
        mutating func turn(
            _ state: borrowing JobState,
            room: Int,
            length: Int,
            _ entry: (borrowing JobState, TaskRecord, Operation) -> Entry
        ) -> Bool {
            if let last, !TaskList.holds(last) { return false }
            var count = 0
            var next = state.tasks.record(after: last)
            while let record = next, count < length, found.count < room {
                count += 1
                last = record
                if let task = record.task, !record.hasFinished {
                    found.append((entry(state, record, task), record, task))
                }
                next = state.tasks.record(after: record)
            }
            isLast = next == nil
            return true
        }
    }
}

extension TaskRecord {
    /// Whether the task notifies of its finish itself, and has finished; asked with the lock held.
    fileprivate var hasFinished: Bool {
        unretainedTask?._withUnsafeGuaranteedRef { $0.isFinished } == true
    }

    /// Whether the job waits for the task, which it may do although the task has finished.
    fileprivate func stillWaits(for task: Operation) -> Bool {
        !task.isFinished || task.hasFinishedUntold(to: self)
    }
}
