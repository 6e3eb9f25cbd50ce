import Synchronization

/// How many tasks of a run were tracked, have finished, and failed; nested jobs and their tasks count too.
///
/// > Thread: Any. Each number is of its moment, and none goes back. Whoever reads ``failed``, then
/// > ``finished`` and then ``tracked`` gets none that is larger than the next.
public final class RunCounts: Sendable {
    private let trackedCount = Atomic<Int>(0)
    private let finishedCount = Atomic<Int>(0)
    private let failedCount = Atomic<Int>(0)

    init() {}

    /// How many tasks the run began to track.
    public var tracked: Int { trackedCount.load(ordering: .relaxed) }
    /// How many of them have finished, failed and cancelled ones included.
    public var finished: Int { finishedCount.load(ordering: .acquiring) }
    /// How many of them failed.
    public var failed: Int { failedCount.load(ordering: .acquiring) }

    func taskTracked() {
        trackedCount.add(1, ordering: .relaxed)
    }

    func taskFinished(failed: Bool) {
        finishedCount.add(1, ordering: .releasing)
        if failed { failedCount.add(1, ordering: .releasing) }
    }
}
