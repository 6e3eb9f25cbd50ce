import JobKit

/// Computes the wait before the next attempt to reach a broker, from 0.1 s to 5 s.
enum Backoff {
    /// After this many failures, the wait no longer grows.
    private static let most = 10
    /// The policy has jitter, so that clients that lost a broker together do not all return
    /// together.
    private static let policy = RetryPolicy.exponential(
        attempts: most + 1,
        initialDelay: .milliseconds(100),
        jitter: 0.5,
        maximumDelay: .seconds(5)
    )

    /// Returns the wait after a number of failures in a row, counted from 1.
    static func wait(afterFailures count: Int, of error: any Error) -> Duration {
        policy.nextDelay(afterAttempt: min(most, max(1, count)), error: error) ?? .seconds(5)
    }
}
