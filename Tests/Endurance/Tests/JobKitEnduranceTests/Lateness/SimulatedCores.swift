/// Simulates threads on some cores in counted time, without a real thread.
///
/// A thread that becomes ready takes a free core, or preempts a thread that has used its core for
/// long. A waiting thread gets a core when another thread sleeps or has used up its slice.
final class SimulatedCores {
    typealias Nanoseconds = UInt64

    private struct Thread {
        var isAwake = false
        /// The processor time that the thread needs before its next action.
        var remaining: Nanoseconds = 0
        var next: (() -> Void)?
        var used: Nanoseconds = 0
        /// The time at which the thread got its core.
        var since: Nanoseconds = 0
    }

    /// Approximates the kernel: how long a thread keeps its core while others wait, or wake up.
    private static let slice: Nanoseconds = 1_500_000
    private static let shortestSlice: Nanoseconds = 100_000

    let count: Int
    private(set) var now: Nanoseconds = 0
    private var threads: [Thread] = []
    private var running: [Int] = []
    private var waiting: [Int] = []
    private var timers: [(time: Nanoseconds, body: () -> Void)] = []

    init(count: Int) { self.count = count }

    /// The processor time of all threads.
    var used: Nanoseconds { threads.reduce(0) { $0 + $1.used } }

    func used(by thread: Int) -> Nanoseconds { threads[thread].used }

    /// Adds a sleeping thread.
    func makeThread() -> Int {
        threads.append(Thread())
        return threads.count - 1
    }

    /// Lets the thread use a core for some time, and then calls `next`.
    func spend(_ time: Nanoseconds, on thread: Int, then next: @escaping () -> Void) {
        (threads[thread].remaining, threads[thread].next) = (time, next)
    }

    func sleep(_ thread: Int) {
        threads[thread].isAwake = false
        running.removeAll { $0 == thread }
        if !waiting.isEmpty { give(to: waiting.removeFirst()) }
    }

    /// Makes the thread ready to call `next`.
    func wake(_ thread: Int, then next: @escaping () -> Void) {
        guard !threads[thread].isAwake else { return }
        threads[thread].isAwake = true
        spend(0, on: thread, then: next)
        if running.count < count { return give(to: thread) }
        let longest = running.min { threads[$0].since < threads[$1].since }
        guard let longest, threads[longest].since + Self.shortestSlice <= now else {
            return waiting.append(thread)
        }
        take(from: longest)
        give(to: thread)
    }

    /// Calls `body` later, without a thread.
    func after(_ time: Nanoseconds, _ body: @escaping () -> Void) {
        timers.append((now + time, body))
    }

    /// Advances the time until nothing is left to do or `isOver` returns true.
    func run(until isOver: () -> Bool) {
        while !isOver(), let next = nextInstant {
            for thread in running {
                threads[thread].remaining -= min(next - now, threads[thread].remaining)
                threads[thread].used += next - now
            }
            now = next
            let due = timers.filter { $0.time <= now }
            timers.removeAll { $0.time <= now }
            for timer in due { timer.body() }
            for thread in running where threads[thread].remaining == 0 {
                threads[thread].next.take()?()
            }
            for thread in running where !waiting.isEmpty && sliceEnd(of: thread) <= now {
                take(from: thread)
                give(to: waiting.removeFirst())
            }
        }
    }

    private var nextInstant: Nanoseconds? {
        let ends = running.map { now + threads[$0].remaining }
        let slices = waiting.isEmpty ? [] : running.map { max(now, sliceEnd(of: $0)) }
        return (ends + slices + timers.map(\.time)).min()
    }

    private func sliceEnd(of thread: Int) -> Nanoseconds { threads[thread].since + Self.slice }

    private func give(to thread: Int) {
        threads[thread].since = now
        running.append(thread)
    }

    private func take(from thread: Int) {
        running.removeAll { $0 == thread }
        waiting.append(thread)
    }
}
