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
    public struct Entry: Codable, Equatable, Sendable {
        /// The operation's name, or the name of its type.
        public let name: String

        /// The name of the operation's exact type.
        public let typeName: String

        /// The operation's group in its job: the one passed to `track`, or its type.
        ///
        /// Nil for the root, and for operations that were tracked before the recorder was added.
        public internal(set) var group: String?

        /// The index of the operation's job in ``Timeline/entries``.
        ///
        /// Nil for the root.
        public internal(set) var parent: Int?

        /// The row in which the entry is drawn, counted from 0.
        ///
        /// The entries of one lane do not overlap. Each entry is in the lowest lane that is free at
        /// its start.
        public internal(set) var lane = 0

        /// How long a job continued after its last task, mostly in its own callbacks.
        ///
        /// Nil for an entry without tasks, and for one that is still running. Tasks that outlive
        /// their job do not count.
        public internal(set) var timeAfterTasks: Duration?

        /// The start and the end in nanoseconds since the first event.
        var startTime: Int64
        var endTime: Int64

        /// The entries that had to finish before this one could start, as indices of
        /// ``Timeline/entries``.
        var predecessors: [Int] = []

        /// The description of the outcome.
        ///
        /// Nil if the operation was still running.
        private(set) var outcomeText: String?

        /// The description of the error.
        ///
        /// Nil unless the operation has failed.
        private(set) var errorText: String?

        var original = OriginalError()

        /// The keys of the JSON.
        private enum CodingKeys: String, CodingKey {
            case name, typeName, group, parent, lane, predecessors
            case startTime = "start"
            case endTime = "end"
            case outcomeText = "outcome"
            case errorText = "error"
        }
    }

    /// The error object of a failed entry, which is not encoded.
    ///
    /// All are equal, because the descriptions of the errors are compared.
    struct OriginalError: Equatable {
        var error: (any Error)?

        static func == (left: OriginalError, right: OriginalError) -> Bool { true }
    }

    /// The error of a failed task in a decoded timeline.
    public struct RecordedError: Error, CustomStringConvertible {
        /// The description of the original error.
        public let description: String
    }
}

extension Timeline.Entry {
    /// The operation's outcome.
    ///
    /// Nil if it was still running when the timeline was taken. The error of a failed entry is a
    /// ``Timeline/RecordedError`` if the timeline was decoded.
    public internal(set) var outcome: OperationOutcome? {
        get {
            let error = original.error ?? Timeline.RecordedError(description: errorText ?? "")
            return [.succeeded, .cancelled, .failed(error)].first { $0.description == outcomeText }
        }
        set {
            outcomeText = newValue?.description
            errorText = newValue?.error.map { String(describing: $0) }
            original.error = newValue?.error
        }
    }

    /// The time of the start, since the first event.
    ///
    /// A job starts no later than its first task.
    public var start: Duration { .nanoseconds(startTime) }

    /// The time of the end, since the first event.
    ///
    /// If the operation was still running, this is the time at which the timeline was taken.
    public var end: Duration { .nanoseconds(endTime) }

    var duration: Duration { end - start }

    /// The outcome as one word, or `running` if there is none yet.
    var outcomeWord: String { outcomeText ?? "running" }
}

extension Timeline {
    private enum CodingKeys: CodingKey {
        case entries, omittedCount
    }

    /// Decodes a timeline, with times in whole nanoseconds.
    ///
    /// - Throws: `DecodingError` if an entry refers to a job or a predecessor that does not exist.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([Entry].self, forKey: .entries)
        omittedCount = try container.decode(Int.self, forKey: .omittedCount)
        guard isWhole else {
            throw DecodingError.dataCorruptedError(
                forKey: .entries,
                in: container,
                debugDescription: "The entries of the timeline do not belong together."
            )
        }
        addTimesAfterTasks()
    }

    /// Whether the timeline can be drawn from the entries.
    ///
    /// All references must be valid, every job must come before its tasks, no entry may end before
    /// it starts, and each outcome must be known.
    private var isWhole: Bool {
        entries.enumerated()
            .allSatisfy { index, entry in
                entry.parent.map { (0..<index).contains($0) } ?? true
                    && (0...entries.count).contains(entry.lane)
                    && 0 <= entry.startTime && entry.startTime <= entry.endTime
                    && entry.predecessors.allSatisfy(entries.indices.contains)
                    && (entry.outcome == nil) == (entry.outcomeText == nil)
            }
    }
}
