/// The recorded run of a job and its tasks, to read, draw or export.
///
/// ``TimelineRecorder`` creates a timeline from the events of a job. The timeline of a running job
/// is a snapshot: operations that are still running have no outcome and end at the moment of the
/// snapshot.
///
/// | Form | For |
/// |---|---|
/// | ``text()`` | a terminal or a log |
/// | ``svg()`` | a browser or a report, readable from five entries to fifty thousand |
/// | ``mermaid()`` | a Markdown page, for up to a few hundred entries |
/// | ``chromeTrace()`` | Perfetto or `chrome://tracing`, to zoom, search and query |
///
/// Every form shows each entry exactly once, with its whole name.
///
/// > Thread: Any. A plain value that takes no lock. The only user code it calls is an error's
/// > description.
public struct Timeline: Codable, Equatable, Sendable {
    enum CodingKeys: CodingKey {
        case entries, omittedCount
    }

    /// The root job and every task below it, by start, with each job before its tasks.
    public internal(set) var entries: [Entry]

    /// The number of operations that the recorder omitted after it had reached its limit.
    public let omittedCount: Int

    /// The tasks that determined the total time, first to last.
    ///
    /// Each task could start only because the one before it had finished. The one before it is a
    /// dependency, the task in whose callback it was tracked, the task for which its stage or turn
    /// in a ``TaskWorkflow`` waited, or the task that returned a permit of its group or
    /// ``TaskQueue``, or a thread. If there are several, it is the one that finished last. The path
    /// ends with the task that finished last of all. Jobs are not on the path, but their tasks are.
    /// The path is empty until a task has finished.
    ///
    /// Only faster tasks on the path can reduce the total time. If the path contains returned
    /// permits, a higher concurrency limit can reduce it, too.
    public var criticalPath: [Entry] {
        criticalIndices.map { entries[$0] }
    }
}

extension Timeline {
    /// A job or task and the time that it took.
    public struct Entry: Sendable {
        /// The operation's name, or the name of its type.
        public let name: String

        /// The name of the operation's exact type.
        public let typeName: String

        /// The operation's group in its job: the one passed to `track`, or its type.
        ///
        /// Nil for the root, and for operations that were tracked before the recorder was added.
        public internal(set) var group: String?

        /// The operation's outcome.
        ///
        /// Nil if it was still running when the timeline was taken.
        public internal(set) var outcome: OperationOutcome?

        /// The index of the operation's job in ``Timeline/entries``.
        ///
        /// Nil for the root.
        public internal(set) var parent: Int?

        /// The row in which the entry is drawn, counted from 0.
        ///
        /// The entries of one lane are nested or do not overlap.
        ///
        /// A task is in its job's lane if it fits there, and otherwise in the lowest free lane.
        public internal(set) var lane = 0

        /// The time of the start, since the first event.
        ///
        /// A job starts no later than its first task.
        public internal(set) var start: Duration

        /// The time of the end, since the first event.
        ///
        /// If the operation was still running, this is the time at which the timeline was taken.
        public internal(set) var end: Duration

        /// How long a job continued after its last task, mostly in its own callbacks.
        ///
        /// Nil for an entry without tasks, and for one that is still running. Tasks that outlive
        /// their job do not count.
        public internal(set) var timeAfterTasks: Duration?

        /// The entries that had to finish before this one could start, as indices of
        /// ``Timeline/entries``.
        var predecessors: [Int] = []
    }
}
