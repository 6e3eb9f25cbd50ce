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
public struct Timeline: Sendable {
    /// The root job and every task below it, by start; a job comes before its tasks.
    public let entries: [Entry]

    /// How many operations the recorder left out because it had reached its limit.
    public let omittedCount: Int

    /// For each entry, those that had to finish before it could start, as places in ``entries``.
    let predecessors: [[Int]]

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
        criticalPlaces.map { entries[$0] }
    }

    /// The latest end; zero without entries.
    let span: Duration

    /// The number of lanes that the entries take.
    let laneCount: Int
}
