/// Decides from which time on the days of a run's retention are counted back.
///
/// They are counted from the newest end in the store, if a clock that is right can have written it: no later
/// than the newest end before, plus the time that the server has served since, plus a day. A clock that is
/// ahead writes later ends. They are believed when the server has served for a day since then.
///
/// Times are milliseconds since 1970.
package struct RetentionStateMachine: Sendable, Equatable {
    /// How long the server may have been away, and how long it must have served to believe a clock.
    package static let day: Int64 = 86_400_000

    /// The newest end that is believed.
    package private(set) var newest: Int64
    /// For how long the server has served since, by a clock that nobody sets.
    package private(set) var served: Int64

    package init(newest: Int64, served: Int64 = 0) {
        self.newest = newest
        self.served = served
    }

    /// No end that is later is believed.
    package var latest: Int64 { newest.addingReportingOverflow(served + Self.day).partialValue }

    /// The server has served for a time.
    package mutating func hasServed(_ time: Int64) {
        served += max(0, time)
    }

    /// A deletion is due.
    ///
    /// - Parameters:
    ///   - newestEnd: The newest end in the store.
    ///   - believedEnd: The newest end that is no later than ``latest``; nil if there is none.
    mutating package func sweepBegan(newestEnd: Int64, believedEnd: Int64?) {
        if newestEnd <= latest || served >= Self.day {
            (newest, served) = (newestEnd, 0)
        } else if let believedEnd {
            newest = max(newest, believedEnd)
        }
    }

    /// The end before which runs are deleted.
    package func limit(days: Int, now: Int64) -> Int64 {
        min(newest, now) - Int64(days) * Self.day
    }
}
