import Foundation

/// A time on the clock of `ContinuousClock`, in nanoseconds since an arbitrary instant.
///
/// The compiler does not know the size of `ContinuousClock.Instant`. Therefore, the runtime copies
/// every value that contains one, which takes hundreds of instructions.
struct EventTime: Comparable, Sendable {
    /// 0 if the time is unknown.
    let nanoseconds: Int64

    static let unknown = EventTime(nanoseconds: 0)

    static var now: EventTime {
        #if canImport(Darwin)
        let time = clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)
        return EventTime(nanoseconds: Int64(truncatingIfNeeded: time))
        #else
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return EventTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        #endif
    }

    /// The same time as an instant, which is at most some tens of nanoseconds later.
    var instant: ContinuousClock.Instant {
        Self.origin.instant + Self.origin.time.duration(to: self)
    }

    func duration(to later: EventTime) -> Duration {
        .nanoseconds(later.nanoseconds - nanoseconds)
    }

    static func < (left: EventTime, right: EventTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// One moment on both clocks, as close together as some attempts can read them.
    private static let origin: (time: EventTime, instant: ContinuousClock.Instant) = {
        var best = (time: EventTime.unknown, instant: ContinuousClock.now, gap: Int64.max)
        for _ in 0..<16 {
            let time = EventTime.now
            let instant = ContinuousClock.now
            let gap = EventTime.now.nanoseconds - time.nanoseconds
            if gap < best.gap { best = (time, instant, gap) }
        }
        return (best.time, best.instant)
    }()
}
