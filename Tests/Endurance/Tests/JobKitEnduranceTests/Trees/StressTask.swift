import Foundation
import JobKit
import Synchronization

/// How the threads of one process took turns.
private let turns = Atomic(0)

private func nextTurn() -> Int { turns.add(1, ordering: .sequentiallyConsistent).newValue }

// Operation forces @unchecked. What changes is atomic.
/// A task of a random tree: finishes inside `start()` or later, as a success or a failure.
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

    /// Goes on until it has done its work: it is slow to stop.
    override func didCancel() {}

    private func end() {
        for gauge in gauges { gauge.leave() }
        beforeFinish.store(nextTurn(), ordering: .releasing)
        if let failure { finish(with: failure) } else { finish() }
        afterFinish.store(nextTurn(), ordering: .releasing)
    }

    /// Whether a job put the task into a queue.
    var wasQueued: Bool { !gauges.isEmpty }

    /// Whether the task was started although its suspended job held it (J14).
    var wasStartedWhileHeld: Bool { startedTooEarly.load(ordering: .acquiring) }

    /// Whether the finish had returned before the other's was called.
    func finishedBefore(_ other: StressTask) -> Bool {
        let (end, begin) = (
            afterFinish.load(ordering: .acquiring), other.beforeFinish.load(ordering: .acquiring)
        )
        return end != 0 && end < begin
    }
}
