import Foundation

/// The pauses of a thread between attempts to take a lock.
///
/// The lock is usually held for less than a microsecond, so the first pauses are short. They become
/// longer in case the holder itself is not running.
@usableFromInline
struct Backoff {
    private var tries = 0

    @usableFromInline
    init() {}

    /// Each takes some nanoseconds.
    ///
    /// Together they take about as long as putting a thread to sleep and waking it.
    private static let spins = 2_000
    /// Pauses in which another thread may run, possibly the holder.
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
