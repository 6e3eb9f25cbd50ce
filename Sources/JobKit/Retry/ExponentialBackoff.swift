import Foundation

/// The delays of
/// ``RetryPolicy/exponential(attempts:initialDelay:multiplier:jitter:maximumDelay:)``.
struct ExponentialBackoff: Sendable {
    let attempts: Int
    let initialDelay: Duration
    let multiplier: Double
    let jitter: Double
    let maximumDelay: Duration

    /// Traps if a number has no meaning.
    func validate() {
        func check(_ holds: Bool, _ name: String, _ value: Any, _ rule: String) {
            guard !holds else { return }
            fatalError("JobKit: \(name) of a retry policy is \(value); it must be \(rule).")
        }
        check(attempts >= 1, "attempts", attempts, "at least 1")
        check(initialDelay >= .zero, "initialDelay", initialDelay, "at least 0")
        let isFactor = (0..<Double.infinity).contains(multiplier)
        check(isFactor, "multiplier", multiplier, "at least 0 and finite")
        check((0...1).contains(jitter), "jitter", jitter, "from 0 to 1")
        check(maximumDelay >= .zero, "maximumDelay", maximumDelay, "at least 0")
    }

    /// The delay after so many failed attempts; nil if there must be no further attempt.
    ///
    /// `random` is from -1 to 1, the shortest and the longest delay.
    ///
    /// Rounded to the nanosecond, so that 100 ms times 1.1 is 110 ms and not some attoseconds more.
    func delay(failedAttempts: Int, random: Double) -> Duration? {
        guard failedAttempts < attempts else { return nil }
        // Zero times a power that is infinite has no value.
        guard initialDelay > .zero else { return .zero }
        let nanosecond = Duration.nanoseconds(1)
        let power = pow(multiplier, Double(failedAttempts - 1))
        let maximum = maximumDelay / nanosecond
        let base = min(initialDelay / nanosecond * power, maximum)
        // Clients that failed together differ at the maximum, too.
        let exceeds = base * (1 + jitter) > maximum
        let delay =
            exceeds
            ? maximum * (1 - jitter * (1 - random) / 2) : base * (1 + jitter * random)
        guard !delay.isNaN else { return .zero }
        guard delay < maximum else { return maximumDelay }
        // Int64 ends after 292 years.
        guard delay < 9e18 else { return .seconds(delay / 1e9) }
        return min(.nanoseconds(Int64(delay.rounded())), maximumDelay)
    }
}
