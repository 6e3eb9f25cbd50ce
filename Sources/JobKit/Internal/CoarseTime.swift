import Foundation

/// An instant with a resolution of about an eighth of a second, which takes a few ns to read.
struct CoarseTime: RawRepresentable {
    /// Eighths of a second of unequal lengths, since an arbitrary instant, wrapping after 17 years.
    let rawValue: UInt32

    static var now: CoarseTime {
        #if canImport(Darwin)
        let eighths = clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 125_000_000
        return CoarseTime(rawValue: UInt32(truncatingIfNeeded: eighths))
        #else
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        // Each operation pays for this, and shifting costs less than dividing. 2²⁷ ns are 134 ms.
        let eighths = time.tv_sec << 3 | time.tv_nsec >> 27
        return CoarseTime(rawValue: UInt32(truncatingIfNeeded: eighths))
        #endif
    }

    /// The number of seconds that have certainly passed from this instant to a later one.
    func wholeSeconds(to later: CoarseTime) -> Int {
        // Shifted first, because an `Int` may have 32 bits.
        Int((max(1, later.rawValue &- rawValue) - 1) >> 3)
    }

    /// The whole seconds from this instant to a later one, as people count them.
    ///
    /// Zero if the other instant is earlier, because a report reads the time first, and an
    /// operation may be cancelled afterwards.
    func seconds(to later: CoarseTime) -> Int {
        Int(max(0, Int32(bitPattern: later.rawValue &- rawValue)) >> 3)
    }
}

extension CoarseTime {
    /// A stored time, or nil if nothing was stored yet.
    init?(nonzero rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.init(rawValue: rawValue)
    }
}
