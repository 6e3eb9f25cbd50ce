/// The state of an entry that changes while it waits: everything that its latest record holds.
struct OutboxProgress: Hashable, Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
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
        /// ``delayLength`` is the length of a delay, although it may have been zero.
        static let hasDelayBefore = Flags(rawValue: 64)
    }

    /// No date.
    static let never = -Double.infinity

    var flags: Flags = []
    var failures: Int32 = 0
    var charged: Int32 = 0
    /// Uncharged failures in a row.
    var uncharged: Int32 = 0
    /// Interruptions in a row.
    var interruptions: Int32 = 0
    /// The end of the delay after a failure or an interruption, in seconds.
    var delayUntil = never
    /// The length of the latest delay.
    var delayLength = 0.0
    var notBefore = never

    var isParked: Bool { flags.contains(.parked) }
    var isAside: Bool { flags.contains(.aside) }
    /// Whether the entry must be performed alone.
    var isAlone: Bool { interruptions >= 2 }

    /// An attempt begins, which ends the delay before it.
    mutating func attemptBegan() {
        flags.formUnion([.began, .mayHaveBegun])
        flags.remove(.afterInterruption)
        (delayUntil, notBefore) = (Self.never, Self.never)
    }

    /// An attempt has ended, however it ended.
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

    /// Ends every delay.
    ///
    /// A parked entry counts from 0 again.
    mutating func retried() {
        if isParked { (failures, charged, uncharged, interruptions) = (0, 0, 0, 0) }
        flags.subtract([.parked, .aside, .unreadable, .afterInterruption])
        (delayUntil, notBefore) = (Self.never, Self.never)
    }

    /// Takes over the delay and the failures of entries that this one replaces.
    ///
    /// - Parameter replaced: Their states, by position, without parked entries.
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

    /// How long the entry must still wait, at most as long as each delay is.
    func remaining(now: Double, addedAt: Double, ignoresDelay: Bool) -> Double {
        let own = min(notBefore - now, notBefore - addedAt)
        let delay = ignoresDelay ? Self.never : min(delayUntil - now, delayLength)
        // Dates have a resolution of a tenth of a microsecond.
        return max((max(own, delay, 0) * 1e6).rounded() / 1e6, 0)
    }

    /// Moves dates that a clock that was set back has put too far away.
    mutating func limitDelays(now: Double, addedAt: Double) {
        if delayUntil - now > delayLength + 1e-3 { delayUntil = now + delayLength }
        let own = notBefore - addedAt
        if own > 0, notBefore - now > own + 1e-3 { notBefore = now + own }
    }
}
