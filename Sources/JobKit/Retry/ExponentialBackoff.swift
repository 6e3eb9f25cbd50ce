/// The delays of ``RetryPolicy/exponential(attempts:initialDelay:multiplier:jitter:maximumDelay:)``.
struct ExponentialBackoff: Sendable {
    let attempts: Int
    let initialDelay: Duration
    let multiplier: Double
    let jitter: Double
    let maximumDelay: Duration

    init(
        attempts: Int,
        initialDelay: Duration,
        multiplier: Double,
        jitter: Double,
        maximumDelay: Duration
    ) {
        func check(_ holds: Bool, _ name: String, _ value: Any, _ rule: String) {
            guard !holds else { return }
            fatalError("JobKit: \(name) of a retry policy is \(value); it must be \(rule).")
        }
        check(attempts >= 1, "attempts", attempts, "at least 1")
        check(initialDelay >= .zero, "initialDelay", initialDelay, "at least 0")
        check(multiplier >= 0, "multiplier", multiplier, "at least 0")
        check((0...1).contains(jitter), "jitter", jitter, "from 0 to 1")
        check(maximumDelay >= .zero, "maximumDelay", maximumDelay, "at least 0")
        self.attempts = attempts
        self.initialDelay = initialDelay
        self.multiplier = multiplier
        self.jitter = jitter
        self.maximumDelay = maximumDelay
    }

    /// The delay after so many failed attempts, where `random` is from -1 to 1; nil to give up.
    func delay(failedAttempts: Int, random: Double) -> Duration? {
        guard failedAttempts < attempts else { return nil }
        let longest = maximumDelay / Duration.seconds(1)
        let delay = initialDelay / Duration.seconds(1) * power(failedAttempts - 1)
        // Compared before it is made a Duration, which a great number of attempts would overflow.
        let seconds = min(delay * (1 + jitter * random), longest)
        return seconds == longest ? maximumDelay : .seconds(seconds)
    }

    /// The multiplier to an exponent of at least 0; infinite where it is too great.
    private func power(_ exponent: Int) -> Double {
        var (result, base, remaining) = (1.0, multiplier, exponent)
        while remaining > 0 {
            if remaining & 1 == 1 { result *= base }
            base *= base
            remaining >>= 1
        }
        return result
    }
}
