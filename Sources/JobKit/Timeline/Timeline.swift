/// When a job and its tasks ran, as a value to read, draw or export.
///
/// ``TimelineRecorder`` makes one from the events of a job. A timeline of a running job is a
/// snapshot: operations that are still running have no outcome and end at the moment of the
/// snapshot.
///
/// | Form | For |
/// |---|---|
/// | ``text()`` | a terminal or a log |
/// | ``svg()`` | a browser or a report; readable from five entries to fifty thousand |
/// | ``mermaid()`` | a Markdown page; up to a few hundred entries |
/// | ``chromeTrace()`` | Perfetto or `chrome://tracing`, to zoom, search and query |
///
/// Every form shows each entry exactly once, with its whole name.
///
/// > Thread: Any. A plain value that takes no lock. The only user code it calls is an error's
/// > description.
public struct Timeline: Equatable, Sendable {
    /// The root job and every task below it, by start; a job comes before its tasks.
    public internal(set) var entries: [Entry]

    /// How many operations the recorder left out because it had reached its limit.
    public let omittedCount: Int

    /// The tasks that decided how long it took, first to last.
    ///
    /// Each could start only because the one before it had finished. That was a dependency, the
    /// task in whose callback it was tracked, what its stage or turn in a ``TaskWorkflow`` waited
    /// for, or the task that gave back a place in its group or ``TaskQueue``, or a thread. Of
    /// several, it is the one that finished last. The path ends with the task that finished last of
    /// all. Jobs are not on the path; their tasks are. Empty until a task has finished.
    ///
    /// Only faster tasks on the path can make the whole faster. If the path goes through freed
    /// places, more width can as well.
    public var criticalPath: [Entry] {
        criticalIndices.map { entries[$0] }
    }
}

extension Timeline {
    /// One job or task and the time it took.
    public struct Entry: Sendable {
        /// The operation's name, or its type's.
        public let name: String

        /// The name of the operation's exact type.
        public let typeName: String

        /// The group in which its job tracked it: the one passed to `track`, or its type.
        ///
        /// Nil for the root, and for operations that were tracked before the recorder was added.
        public internal(set) var group: String?

        /// How the operation ended; nil if it was still running when the timeline was taken.
        public internal(set) var outcome: OperationOutcome?

        /// Its job's index in ``Timeline/entries``; nil for the root.
        public internal(set) var parent: Int?

        /// The row to draw it in, counted from 0; entries of one lane nest or lie apart.
        ///
        /// A task shares its job's lane where it fits, and otherwise takes the lowest free one.
        public internal(set) var lane = 0

        /// When it started, since the first event; a job, no later than its first task.
        public internal(set) var start: Duration

        /// When it finished, since the first event, or when the timeline was taken.
        public internal(set) var end: Duration

        /// How long a job continued after its last task, mostly in its own callbacks.
        ///
        /// Nil for an entry without tasks, and for one that is still running. A task that outlives
        /// its job does not count.
        public internal(set) var timeAfterTasks: Duration?

        /// Those that had to finish before it could start, as indices of ``Timeline/entries``.
        var predecessors: [Int] = []
    }
}
