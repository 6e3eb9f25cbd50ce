import Foundation

/// Computes the delays of
/// ``RetryPolicy/exponential(attempts:initialDelay:multiplier:jitter:maximumDelay:)``.
struct ExponentialBackoff: Sendable {
    let attempts: Int
    let initialDelay: Duration
    let multiplier: Double
    let jitter: Double
    let maximumDelay: Duration

    /// Traps if a parameter is out of range.
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

    /// Computes the delay after a number of failed attempts.
    ///
    /// The delay is rounded to nanoseconds, so that 100 ms times 1.1 is 110 ms and not some
    /// attoseconds more.
    ///
    /// - Parameters:
    ///   - failedAttempts: The number of failed attempts, from 1.
    ///   - random: A number from -1 for the shortest delay to 1 for the longest.
    /// - Returns: The delay, or nil if there must be no further attempt.
    func delay(failedAttempts: Int, random: Double) -> Duration? {
        guard failedAttempts < attempts else { return nil }
        // The power may be infinite, and zero times infinity is not a number.
        guard initialDelay > .zero else { return .zero }
        let nanosecond = Duration.nanoseconds(1)
        let power = pow(multiplier, Double(failedAttempts - 1))
        let maximum = maximumDelay / nanosecond
        let base = min(initialDelay / nanosecond * power, maximum)
        // The jitter must not be cut off at the maximum. Clients that failed together would all
        // wait for exactly that time, and retry together.
        let exceeds = base * (1 + jitter) > maximum
        let delay =
            exceeds
            ? maximum * (1 - jitter * (1 - random) / 2) : base * (1 + jitter * random)
        guard !delay.isNaN else { return .zero }
        guard delay < maximum else { return maximumDelay }
        // Int64 nanoseconds end after 292 years.
        guard delay < 9e18 else { return .seconds(delay / 1e9) }
        return min(.nanoseconds(Int64(delay.rounded())), maximumDelay)
    }
}
