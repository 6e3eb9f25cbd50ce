/// What a job and its tasks did when, as a value to read, draw or export.
///
/// ``TimelineRecorder`` makes one from the events of a job. A timeline of a running job is a snapshot:
/// what still runs then has no outcome and ends at the moment the snapshot was taken.
///
/// | Form | For |
/// |---|---|
/// | ``text()`` | a terminal or a log |
/// | ``svg()`` | a browser or a report; readable from five entries to fifty thousand |
/// | ``mermaid()`` | a Markdown page; up to a few hundred entries |
/// | ``chromeTrace()`` | Perfetto or `chrome://tracing`, to zoom, search and query |
///
/// Every form shows each entry exactly once, under its whole name.
///
/// > Thread: Any. A plain value; takes no lock and calls no user code but an error's description.
public struct Timeline: Sendable {
    /// The root job and every task below it, by start; a job stands before its tasks.
    public let entries: [Entry]

    /// For each entry, those that had to finish before it could start, as places in ``entries``.
    let predecessors: [[Int]]

    /// The tasks that decided how long it took, first to last.
    ///
    /// Each could start only because the one before it had finished: a dependency, the task in whose
    /// callback it was tracked, or in a ``TaskWorkflow`` what its stage or its turn on the main thread
    /// waited for; of several, the one that finished last. The path ends with the
    /// task that finished last of all. A job is not on the path itself: its tasks are. Empty until a
    /// task has finished.
    ///
    /// Making any task on the path faster, and no other, can make the whole faster.
    public var criticalPath: [Entry] {
        criticalPlaces.map { entries[$0] }
    }

    /// The latest end; zero without entries.
    let span: Duration

    /// The number of lanes that the entries take.
    let laneCount: Int
}
