/// Decides from which time the days of retention are counted back.
///
/// They are counted from the newest end in the store if a correct clock can have written it. Such
/// an end is at most a day later than the previous newest end plus the time that the server has
/// been serving since then. If a clock is ahead, it writes later ends. These are believed once the
/// server has been serving for a day.
///
/// Times are milliseconds since 1970.
package struct RetentionStateMachine: Sendable, Equatable {
    /// The longest assumed downtime, and the serving time after which a clock is believed.
    package static let day: Int64 = 86_400_000

    /// The newest end that is believed.
    package private(set) var newest: Int64
    /// How long the server has been serving since then, by a monotonic clock.
    package private(set) var served: Int64

    package init(newest: Int64, served: Int64 = 0) {
        self.newest = newest
        self.served = served
    }

    /// The latest end that can be believed.
    package var latest: Int64 { newest.addingReportingOverflow(served + Self.day).partialValue }

    /// Adds serving time.
    package mutating func hasServed(_ time: Int64) {
        served += max(0, time)
    }

    /// Updates the newest believed end before a deletion.
    ///
    /// - Parameters:
    ///   - newestEnd: The newest end in the store.
    ///   - believedEnd: The newest end that is no later than ``latest``, or nil.
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
