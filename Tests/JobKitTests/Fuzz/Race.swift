import Dispatch
import Foundation
import Synchronization

/// Lets another thread run.
func giveWay() { sched_yield() }

/// Waits for another thread, which is seen at once where it runs on another core.
func spin(until condition: () -> Bool) {
    var looks = 0
    while !condition() {
        looks += 1
        if looks.isMultiple(of: 500) { giveWay() }
    }
}

/// Threads that set out together.
final class StartLine: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) { missing = Atomic(count) }

    /// Returns when as many threads have come as the line waits for.
    func cross() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        while missing.load(ordering: .acquiring) > 0 { giveWay() }
    }
}

extension Dice {
    /// Runs the bodies at once, each on a thread of its own and after a random delay, and returns
    /// when all of them have returned.
    mutating func race(_ bodies: (@Sendable () -> Void)...) async {
        let line = StartLine(bodies.count)
        let group = DispatchGroup()
        for body in bodies {
            let delay = delay()
            group.enter()
            Thread.detachNewThread {
                line.cross()
                delay.pass()
                body()
                group.leave()
            }
        }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }
}
