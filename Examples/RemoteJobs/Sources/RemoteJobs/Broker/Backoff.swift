import JobKit

/// How long to wait before the next try to reach a broker: 0.1 s at first, 5 s at last.
enum Backoff {
    /// From this many failures on, the wait is the longest.
    private static let most = 10
    /// Those who have lost a broker together do not all come back together.
    private static let policy = RetryPolicy.exponential(
        attempts: most + 1,
        initialDelay: .milliseconds(100),
        jitter: 0.5,
        maximumDelay: .seconds(5)
    )

    /// The wait after so many failures in a row, from 1.
    static func wait(afterFailures count: Int, of error: any Error) -> Duration {
        policy.nextDelay(afterAttempt: min(most, max(1, count)), error: error) ?? .seconds(5)
    }
}
