import Foundation

/// The first unfinished tasks of a job, and the total number of them.
///
/// The entries come from the front of the job's list, and the job stores the counts. Therefore, the
/// cost depends on the number of entries and not on the number of tasks. The list also contains
/// tasks that have finished and wait for their callbacks. They are skipped.
struct UnfinishedTasks {
    private(set) var entries: [TaskStall] = []
    /// How many tasks the job has tracked.
    private(set) var trackedCount = 0
    /// How many of them have finished.
    private(set) var finishedCount = 0
    /// How many of them have failed.
    private(set) var failedCount = 0
    /// How many unfinished tasks are not among the entries.
    private(set) var omittedCount = 0

    /// Reads the tasks of a job.
    ///
    /// - Parameters:
    ///   - shell: The job's shell.
    ///   - limit: The maximum number of entries.
    init(of shell: JobShell, limit: Int) {
        let limit = max(0, limit)
        var (hasTasks, isWhole) = (false, false)
        // Finished plain operations are found only later, so more tasks may have to be read.
        var length = limit
        repeat {
            var read: [TaskStall] = []
            shell.ask { state in
                (trackedCount, hasTasks) = (state.tasks.trackedCount, !state.tasks.isEmpty)
                (finishedCount, failedCount) = (state.tasks.finishedCount, state.tasks.failedCount)
                isWhole = state.read(&read, length: length)
            }
            // Called without the lock, because `isFinished` may be user code.
            entries = Array(read.filter(\.isUnfinished).prefix(limit))
            length = min(length, .max / 8) * 8
        } while !isWhole && entries.count < limit
        // If all tasks were read, the entries are newer than the stored count.
        if isWhole, hasTasks { finishedCount = trackedCount - entries.count }
        omittedCount = hasTasks ? max(0, trackedCount - finishedCount - entries.count) : 0
    }
}

/// The unfinished tasks of a job and of the jobs below it, each job before its tasks.
struct UnfinishedTree {
    struct Node {
        let stall: TaskStall
        /// The number of nodes up to that of its job, or 0 for a task of the root.
        let level: Int
        /// The tasks of a nested job, without entries if an earlier node has them.
        let tasks: UnfinishedTasks?
    }

    let root: UnfinishedTasks
    private(set) var nodes: [Node] = []
    /// How many unfinished tasks are not among the nodes.
    private(set) var omittedCount: Int
    /// The shells of the jobs whose tasks are in the tree.
    private(set) var jobs: Set<ObjectIdentifier>

    /// Reads at most `limit` tasks, without recursion.
    init(of job: JobController, limit: Int) {
        root = UnfinishedTasks(of: job.shell, limit: limit)
        omittedCount = root.omittedCount
        jobs = [ObjectIdentifier(job.shell)]
        var waiting = root.entries.reversed().map { (stall: $0, level: 0) }
        while nodes.count < limit, let (stall, level) = waiting.popLast() {
            let shell = stall.task.asJob?.shell
            let isNew = shell.map { jobs.insert(ObjectIdentifier($0)).inserted } == true
            let tasks = shell.map {
                UnfinishedTasks(of: $0, limit: isNew ? limit - nodes.count - 1 : 0)
            }
            nodes.append(Node(stall: stall, level: level, tasks: tasks))
            guard isNew, let tasks else { continue }
            omittedCount += tasks.omittedCount
            waiting += tasks.entries.reversed().map { ($0, nodes.count) }
        }
        omittedCount += waiting.count
    }
}

extension JobState {
    /// Reads the first tasks that may be unfinished, and returns whether no other tasks are left.
    fileprivate func read(_ tasks: inout [TaskStall], length: Int) -> Bool {
        var next = self.tasks.record(after: nil)
        while let record = next, tasks.count < length {
            if let task = record.task, !record.hasFinished {
                tasks.append(TaskStall(task, record, self))
            }
            next = self.tasks.record(after: record)
        }
        return next == nil
    }
}

extension TaskRecord {
    /// Whether the task is a ``ConcurrentOperation`` that has finished.
    ///
    /// This calls no user code, so it may be read with the lock held.
    fileprivate var hasFinished: Bool {
        unretainedTask?._withUnsafeGuaranteedRef { $0.isFinished } == true
    }
}
