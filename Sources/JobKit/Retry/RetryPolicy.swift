/// Decides whether to make another attempt, and how long to wait before it.
public struct RetryPolicy: Sendable {
    private let delay: @Sendable (_ failedAttempts: Int, _ error: any Error) -> Duration?

    /// Creates a custom policy, which may read the error, for example to use a server's
    /// Retry-After.
    ///
    /// - Parameter nextDelay: Called after each failed attempt, on the threads of a job's
    ///   callbacks, with the number of attempts that have failed, from 1, and the error of the last
    ///   one. It returns the delay, measured from the failed attempt's end, or nil to stop.
    public init(
        _ nextDelay: @escaping @Sendable (_ failedAttempts: Int, _ error: any Error) -> Duration?
    ) {
        delay = nextDelay
    }

    /// Returns the delay after a failed attempt, for code that retries without a retry operation.
    ///
    /// A ``RetryOperation`` calls the same method. A policy with jitter picks a new random delay
    /// each time.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, from 1. A value below 1 traps.
    ///   - error: Why it failed.
    /// - Returns: The delay, measured from the failed attempt's end, or nil to stop.
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
    /// `maximumDelay`. The delay is a random value between `d × (1 - jitter)` and `d × (1 +
    /// jitter)`. If the upper bound exceeds `maximumDelay`, the delay is a random value between
    /// `maximumDelay × (1 - jitter)` and `maximumDelay`. Therefore, delays also vary at the
    /// maximum, and clients that failed together do not retry together.
    ///
    /// > Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. Here, the jitter is
    /// > a fraction of the delay in both directions.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. A value below 1 traps.
    ///   - initialDelay: The delay after the first failed attempt. A negative value traps.
    ///   - multiplier: The factor from each delay to the next. A negative value traps.
    ///   - jitter: The fraction by which a delay may vary, from 0 to 1. Other values trap.
    ///   - maximumDelay: The longest delay, including jitter. A negative value traps.
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
