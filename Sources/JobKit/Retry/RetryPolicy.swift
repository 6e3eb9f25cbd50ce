/// Decides how long to wait before the next attempt, or to stop.
public struct RetryPolicy: Sendable {
    private let delay: @Sendable (_ failedAttempts: Int, _ error: any Error) -> Duration?

    /// Creates a custom policy, which may read the error, such as a server's Retry-After.
    ///
    /// - Parameter nextDelay: Called after each failed attempt, on the threads of a job's
    ///   callbacks, with the number of attempts that have failed, from 1, and the last one's error.
    ///   Returns the delay from the failed attempt's finish, or nil to stop.
    public init(
        _ nextDelay: @escaping @Sendable (_ failedAttempts: Int, _ error: any Error) -> Duration?
    ) {
        delay = nextDelay
    }

    /// How long to wait after a failed attempt, for code that waits by the policy itself.
    ///
    /// A ``RetryOperation`` asks the same. A policy with jitter draws a new delay each time.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, from 1; a value below 1 traps.
    ///   - error: Why it failed.
    /// - Returns: The delay from the failed attempt's end; nil to stop.
    public func nextDelay(afterAttempt attempt: Int, error: any Error) -> Duration? {
        guard attempt >= 1 else {
            fatalError(
                "JobKit: a retry policy was asked about attempt \(attempt); it must be at least 1."
            )
        }
        return delay(attempt, error)
    }

    /// Waits longer after each failed attempt, with a random variation.
    ///
    /// After the *n*-th failed attempt, let *d* be `initialDelay × multiplierⁿ⁻¹`, but at most
    /// `maximumDelay`. The delay is drawn between `d × (1 - jitter)` and `d × (1 + jitter)`. If that
    /// exceeds `maximumDelay`, it is drawn between `maximumDelay × (1 - jitter)` and `maximumDelay`,
    /// so that clients that failed together differ at the maximum, too.
    ///
    /// > Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015; the jitter here is
    /// > a share of the delay to either side.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first; a value below 1 traps.
    ///   - initialDelay: The delay after the first failed attempt; a negative value traps.
    ///   - multiplier: The factor from each delay to the next; a negative value traps.
    ///   - jitter: The share by which a delay may differ, from 0 to 1; other values trap.
    ///   - maximumDelay: The longest delay, including jitter; a negative value traps.
    /// - Returns: The policy.
    public static func exponential(
        attempts: Int,
        initialDelay: Duration,
        multiplier: Double = 2,
        jitter: Double = 0.2,
        maximumDelay: Duration = .seconds(60)
    ) -> RetryPolicy {
        let backoff = ExponentialBackoff(
            attempts: attempts,
            initialDelay: initialDelay,
            multiplier: multiplier,
            jitter: jitter,
            maximumDelay: maximumDelay
        )
        backoff.validate()
        return RetryPolicy { failedAttempts, _ in
            backoff.delay(failedAttempts: failedAttempts, random: .random(in: -1...1))
        }
    }
}
