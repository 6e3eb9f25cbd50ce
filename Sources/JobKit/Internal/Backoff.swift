import Foundation

/// The waits between the tries of a thread that finds something held for, as a rule, less than a
/// microsecond: short ones first, and where the holder does not even run, ever longer ones.
@usableFromInline
struct Backoff {
    private var tries = 0

    @usableFromInline
    init() {}

    /// Some nanoseconds each: together about what it takes to put a thread to sleep and wake it.
    private static let spins = 2_000
    /// Times in which another thread may run, perhaps the holder.
    private static let yields = 50
    private static let shortestSleep: UInt32 = 50
    private static let longestSleep: UInt32 = 1_000

    @inline(never)
    @usableFromInline
    mutating func wait() {
        tries += 1
        if tries <= Self.spins { return }
        if tries <= Self.spins + Self.yields {
            sched_yield()
            return
        }
        let doublings = min(tries - Self.spins - Self.yields, 8)
        usleep(min(Self.shortestSleep << UInt32(doublings), Self.longestSleep))
    }
}
