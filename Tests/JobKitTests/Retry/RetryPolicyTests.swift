import Testing

@testable import JobKit

/// R1: the delays between attempts.
@Suite struct RetryPolicyTests {
    private struct Broken: Error {}

    private func backoff(
        attempts: Int = .max,
        initialDelay: Duration = .milliseconds(100),
        multiplier: Double = 2,
        jitter: Double = 0,
        maximumDelay: Duration = .seconds(60)
    ) -> ExponentialBackoff {
        ExponentialBackoff(
            attempts: attempts,
            initialDelay: initialDelay,
            multiplier: multiplier,
            jitter: jitter,
            maximumDelay: maximumDelay
        )
    }

    @Test(arguments: [(1, 100), (2, 200), (3, 400), (4, 800), (10, 51_200), (11, 60_000)])
    func delayDoublesExactlyUpToTheMaximum(failedAttempts: Int, milliseconds: Int) {
        let delay = backoff().delay(failedAttempts: failedAttempts, random: 0)
        #expect(delay == .milliseconds(milliseconds))
    }

    @Test(arguments: [(1, 100_000), (2, 110_000), (3, 121_000), (4, 133_100)])
    func delayIsRoundedToTheNanosecond(failedAttempts: Int, microseconds: Int) {
        let delay = backoff(multiplier: 1.1)
            .delay(failedAttempts: failedAttempts, random: 0)
        #expect(delay == .microseconds(microseconds))
    }

    @Test(arguments: [(-1.0, 160), (0, 200), (1, 240)])
    func jitterMovesTheDelayBothWays(random: Double, milliseconds: Int) {
        let delay = backoff(jitter: 0.2).delay(failedAttempts: 2, random: random)
        #expect(delay == .milliseconds(milliseconds))
    }

    @Test func maximumHoldsWithJitter() {
        let bounded = backoff(jitter: 1, maximumDelay: .milliseconds(150))
        #expect(bounded.delay(failedAttempts: 1, random: 1) == .milliseconds(150))
        #expect(bounded.delay(failedAttempts: 1, random: -1) == .zero)
    }

    // Clients that failed together use different delays, even at the maximum.
    @Test(arguments: [(-1.0, 48_000), (0, 54_000), (1, 60_000)])
    func delaysAtTheMaximumAreSpread(random: Double, milliseconds: Int) {
        let backoff = backoff(initialDelay: .seconds(1), jitter: 0.2)
        for failedAttempts in [7, 8, 9, 1_000, Int.max - 1] {
            let delay = backoff.delay(failedAttempts: failedAttempts, random: random)
            #expect(delay == .milliseconds(milliseconds))
        }
        // The upper end of the previous range is below the maximum.
        let below = backoff.delay(failedAttempts: 6, random: 1)
        #expect(below == .milliseconds(38_400))
    }

    @Test(arguments: [1_000, 100_000, Int.max - 1])
    func hugeAttemptNumbersGiveTheMaximum(failedAttempts: Int) {
        #expect(backoff().delay(failedAttempts: failedAttempts, random: 0) == .seconds(60))
        let unbounded = backoff(maximumDelay: .seconds(Int64.max))
        #expect(
            unbounded.delay(failedAttempts: failedAttempts, random: 0) == .seconds(Int64.max)
        )
        let none = backoff(initialDelay: .zero)
        #expect(none.delay(failedAttempts: failedAttempts, random: 0) == .zero)
        let shrinking = backoff(multiplier: 0.5)
        #expect(shrinking.delay(failedAttempts: failedAttempts, random: 0) == .zero)
    }

    @Test func delayOfMoreThanThreeCenturiesIsNoOverflow() throws {
        let unbounded = backoff(initialDelay: .seconds(1), maximumDelay: .seconds(Int64.max))
        for failedAttempts in 1...100 {
            let delay = try #require(unbounded.delay(failedAttempts: failedAttempts, random: 0))
            #expect(delay >= .seconds(1))
        }
    }

    @Test func attemptsCountTheFirst() {
        #expect(backoff(attempts: 1).delay(failedAttempts: 1, random: 0) == nil)
        #expect(backoff(attempts: 3).delay(failedAttempts: 2, random: 0) != nil)
        #expect(backoff(attempts: 3).delay(failedAttempts: 3, random: 0) == nil)
        #expect(backoff(attempts: 3).delay(failedAttempts: 4, random: 0) == nil)
    }

    @Test func exponentialPolicyDrawsItsJitter() throws {
        let policy = RetryPolicy.exponential(attempts: 2, initialDelay: .seconds(10))
        let delays = try (0..<100)
            .map { _ in try #require(policy.nextDelay(afterAttempt: 1, error: Broken())) }
        #expect(delays.allSatisfy { $0 >= .seconds(8) && $0 <= .seconds(12) })
        #expect(Set(delays).count > 1)
        #expect(policy.nextDelay(afterAttempt: 2, error: Broken()) == nil)
    }

    @Test func customPolicyReadsTheError() {
        struct Busy: Error {
            let retryAfter: Duration
        }
        let policy = RetryPolicy { failedAttempts, error in
            (error as? Busy)?.retryAfter ?? (failedAttempts < 2 ? .seconds(1) : nil)
        }
        #expect(
            policy.nextDelay(afterAttempt: 7, error: Busy(retryAfter: .seconds(30))) == .seconds(30)
        )
        #expect(policy.nextDelay(afterAttempt: 1, error: Broken()) == .seconds(1))
        #expect(policy.nextDelay(afterAttempt: 2, error: Broken()) == nil)
    }

    #if os(macOS) || os(Linux)
    @Test func nonsenseTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(attempts: 0, initialDelay: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(attempts: 1, initialDelay: .seconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy { _, _ in .zero }.nextDelay(afterAttempt: 0, error: Broken())
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(attempts: 1, initialDelay: .zero, jitter: 1.1)
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(attempts: 1, initialDelay: .zero, jitter: -0.1)
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(attempts: 1, initialDelay: .zero, jitter: .nan)
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(attempts: 1, initialDelay: .zero, multiplier: -1)
        }
        await #expect(processExitsWith: .failure) {
            _ = RetryPolicy.exponential(
                attempts: 1,
                initialDelay: .zero,
                maximumDelay: .seconds(-1)
            )
        }
    }
    #endif
}
