import Synchronization

/// Counts the tracked, finished and failed tasks of a run, including those of nested jobs.
///
/// > Thread: Any. Each number is the current one and never decreases. If ``failed``, ``finished``
/// > and ``tracked`` are read in this order, none is larger than the next one.
public final class RunCounts: Sendable {
    private let trackedCount = Atomic<Int>(0)
    private let finishedCount = Atomic<Int>(0)
    private let failedCount = Atomic<Int>(0)

    init() {}

    /// The number of tasks that were tracked.
    public var tracked: Int { trackedCount.load(ordering: .relaxed) }
    /// The number of finished tasks, including failed and cancelled ones.
    public var finished: Int { finishedCount.load(ordering: .acquiring) }
    /// The number of failed tasks.
    public var failed: Int { failedCount.load(ordering: .acquiring) }

    func taskTracked() {
        trackedCount.add(1, ordering: .relaxed)
    }

    func taskFinished(failed: Bool) {
        finishedCount.add(1, ordering: .releasing)
        if failed { failedCount.add(1, ordering: .releasing) }
    }
}
