import Foundation
import Synchronization

/// Lets threads continue together repeatedly.
final class TurnBarrier: Sendable {
    private let threads: Int
    private let arrived = Atomic(0)

    init(threads: Int) { self.threads = threads }

    /// Waits until every thread has called this equally often.
    func wait() {
        let before = arrived.add(1, ordering: .acquiringAndReleasing).oldValue
        let last = (before / threads + 1) * threads
        var looks = 0
        while arrived.load(ordering: .acquiring) < last {
            looks += 1
            if looks.isMultiple(of: 500) { sched_yield() }
        }
    }
}
