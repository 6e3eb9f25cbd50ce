import Foundation
import JobKit
import Synchronization

/// The order of events on all threads of the process.
private let turns = Atomic(0)

private func nextTurn() -> Int { turns.add(1, ordering: .sequentiallyConsistent).newValue }

// Operation forces @unchecked. All mutable state is atomic.
/// A task of a random tree that succeeds or fails, inside `start()` or later.
final class StressTask: ConcurrentOperation, @unchecked Sendable {
    private let failure: SampleError?
    private let finishesLater: Bool
    private let gauges: [Gauge]
    /// Nil unless the job was suspended when it tracked the task.
    private let isHeld: (@Sendable () -> Bool)?
    private let beforeFinish = Atomic(0)
    private let afterFinish = Atomic(0)
    private let startedTooEarly = Atomic(false)

    init(
        failure: SampleError?,
        finishesLater: Bool,
        gauges: [Gauge] = [],
        isHeld: (@Sendable () -> Bool)? = nil
    ) {
        self.failure = failure
        self.finishesLater = finishesLater
        self.gauges = gauges
        self.isHeld = isHeld
    }

    override func main() {
        if isHeld?() == true { startedTooEarly.store(true, ordering: .releasing) }
        for gauge in gauges { gauge.enter() }
        guard finishesLater else { return end() }
        DispatchQueue.global().async { self.end() }
    }

    /// Continues until its work is done, because this task is slow to stop.
    override func didCancel() {}

    private func end() {
        for gauge in gauges { gauge.leave() }
        beforeFinish.store(nextTurn(), ordering: .releasing)
        if let failure { finish(with: failure) } else { finish() }
        afterFinish.store(nextTurn(), ordering: .releasing)
    }

    /// Whether a job added the task to a queue.
    var wasQueued: Bool { !gauges.isEmpty }

    /// Whether the task was started although its suspended job held it back (J14).
    var wasStartedWhileHeld: Bool { startedTooEarly.load(ordering: .acquiring) }

    /// Whether `finish` had returned before the other task's was called.
    func finishedBefore(_ other: StressTask) -> Bool {
        let (end, begin) = (
            afterFinish.load(ordering: .acquiring), other.beforeFinish.load(ordering: .acquiring)
        )
        return end != 0 && end < begin
    }
}
