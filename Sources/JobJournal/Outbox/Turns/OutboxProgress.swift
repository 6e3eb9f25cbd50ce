/// The mutable state of an entry, as it is in the entry's latest record.
///
/// Its 48 bytes are the same in memory and in the file.
struct OutboxProgress: Hashable, Sendable, BitwiseCopyable {
    struct Flags: OptionSet, Hashable, Sendable, BitwiseCopyable {
        let rawValue: UInt32

        /// An attempt has begun, and its end is not recorded.
        static let began = Flags(rawValue: 1)
        static let mayHaveBegun = Flags(rawValue: 2)
        static let parked = Flags(rawValue: 4)
        /// Parked without holding back its key.
        static let aside = Flags(rawValue: 8)
        /// Parked because its item does not decode.
        static let unreadable = Flags(rawValue: 16)
        /// The delay follows an interruption.
        static let afterInterruption = Flags(rawValue: 32)
        /// ``delayLength`` is the length of an earlier delay, which may be zero.
        static let hasDelayBefore = Flags(rawValue: 64)
    }

    /// A date that has always passed.
    static let never = -Double.infinity

    var flags: Flags = []
    var failures: Int32 = 0
    var charged: Int32 = 0
    /// Uncharged failures in a row.
    var uncharged: Int32 = 0
    /// Interruptions in a row.
    var interruptions: Int32 = 0
    /// Failures in a row to read the record.
    ///
    /// They are not written when they occur.
    var failedReads: Int32 = 0
    /// The end of the delay after a failure or an interruption, in seconds.
    var delayUntil = never
    /// The length of the latest delay, in seconds.
    var delayLength = 0.0
    var notBefore = never

    /// The length of the latest delay, if there was one.
    var delayBefore: Double? { flags.contains(.hasDelayBefore) ? delayLength : nil }

    var isParked: Bool { flags.contains(.parked) }
    var isAside: Bool { flags.contains(.aside) }
    /// Whether the entry must be performed alone.
    var isAlone: Bool { interruptions >= 2 }

    /// Records the beginning of an attempt, which ends the delay before it.
    mutating func attemptBegan() {
        flags.formUnion([.began, .mayHaveBegun])
        flags.remove(.afterInterruption)
        failedReads = 0
        (delayUntil, notBefore) = (Self.never, Self.never)
    }

    /// Delays the entry for 1 second, and for doubled pauses up to 1 minute after further failures.
    mutating func readingFailed(now: Double) {
        notBefore = now + min(Double(1 << min(failedReads, 6)), 60)
        failedReads += 1
    }

    /// Records the end of an attempt, regardless of its result.
    mutating func attemptEnded() {
        flags.remove(.began)
        interruptions = 0
    }

    mutating func delayed(by length: Double, now: Double) {
        flags.insert(.hasDelayBefore)
        delayLength = max(length, 0)
        delayUntil = length > 0 ? now + length : Self.never
    }

    mutating func park(aside: Bool) {
        flags.insert(.parked)
        if aside { flags.insert(.aside) }
        (delayUntil, notBefore) = (Self.never, Self.never)
    }

    /// Ends every delay, and unparks the entry.
    ///
    /// The failures and interruptions of a parked entry are counted from 0 again.
    mutating func retried() {
        if isParked { (failures, charged, uncharged, interruptions) = (0, 0, 0, 0) }
        failedReads = 0
        flags.subtract([.parked, .aside, .unreadable, .afterInterruption])
        (delayUntil, notBefore) = (Self.never, Self.never)
    }

    /// Takes over the delay and failures of the entries that this one replaces.
    ///
    /// - Parameter replaced: The states of the replaced entries that are not parked, by position.
    mutating func inherit(_ replaced: [(state: OutboxProgress, isDelayed: Bool)]) {
        for (state, isDelayed) in replaced {
            if isDelayed, !state.flags.contains(.afterInterruption), state.delayUntil > delayUntil {
                (delayUntil, delayLength) = (state.delayUntil, state.delayLength)
                flags.insert(.hasDelayBefore)
            }
            guard state.failures > 0 else { continue }
            (failures, charged, uncharged) = (state.failures, state.charged, state.uncharged)
        }
    }

    /// Returns the remaining delay, in seconds.
    ///
    /// No delay is longer than its original length, even if the clock was set back.
    func remaining(now: Double, addedAt: Double, ignoresDelay: Bool) -> Double {
        let own = min(notBefore - now, notBefore - addedAt)
        let delay = ignoresDelay ? Self.never : min(delayUntil - now, delayLength)
        // Dates have a resolution of a tenth of a microsecond.
        return max((max(own, delay, 0) * 1e6).rounded() / 1e6, 0)
    }

    /// Moves dates that are too far in the future, because the clock was set back.
    mutating func limitDelays(now: Double, addedAt: Double) {
        if delayUntil - now > delayLength + 1e-3 { delayUntil = now + delayLength }
        let own = notBefore - addedAt
        if own > 0, notBefore - now > own + 1e-3 { notBefore = now + own }
    }
}
