import Dispatch
import Foundation

/// Threads that repeatedly take a lock.
struct LockTrial {
    /// The number of threads.
    let threads: Int
    /// The number of times that each thread takes the lock.
    let lockings: Int
    /// The work between two acquisitions, in iterations of a few nanoseconds.
    let gap: Int

    /// The cost of an acquisition, in nanoseconds.
    struct Cost: Sendable {
        /// The time from the first acquisition to the last, divided by their number.
        let time: Double
        /// The processor time of all threads.
        let used: Double
    }

    /// Runs the threads.
    ///
    /// Traps if the lock lost an increment.
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
