import Dispatch
import Foundation

/// Some threads that take a lock again and again.
struct LockTrial {
    /// How many threads there are.
    let threads: Int
    /// How often each takes the lock.
    let lockings: Int
    /// What each does between two lockings, in rounds of a few nanoseconds.
    let gap: Int

    /// What a locking took, in nanoseconds.
    struct Cost: Sendable {
        /// From the first to the last, divided by all lockings.
        let time: Double
        /// The processor time of all threads.
        let used: Double
    }

    /// Runs the threads; traps if the lock lost an addition.
    func run<Lock: CountingLock>(_ type: Lock.Type) -> Cost {
        let (lock, begin, ended) = (Lock(), DispatchSemaphore(value: 0), DispatchGroup())
        for _ in 0..<threads {
            ended.enter()
            Thread {
                begin.wait()
                for _ in 0..<lockings {
                    lock.increment()
                    Self.spin(gap)
                }
                ended.leave()
            }
            .start()
        }
        let used = ProcessorTime.ofProcess
        let time = ContinuousClock()
            .measure {
                for _ in 0..<threads { begin.signal() }
                ended.wait()
            }
        let usedThen = ProcessorTime.ofProcess
        let count = threads * lockings
        precondition(lock.count == count, "\(lock.count) additions of \(count)")
        return Cost(
            time: time.nanoseconds / Double(count),
            used: Double(usedThen - used) / Double(count)
        )
    }

    @inline(never)
    private static func spin(_ rounds: Int) {
        var value = rounds
        for _ in 0..<rounds { value = value &* 6_364_136_223_846_793_005 &+ 1 }
        blackHole(value)
    }

    @inline(never)
    private static func blackHole(_ value: Int) {}
}
