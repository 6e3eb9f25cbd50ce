/// A clock whose time passes only when a test says so.
///
/// Give it to the code under test in place of `ContinuousClock`; then every delay, limit and backoff
/// is tested without waiting for it:
///
/// ```swift
/// let clock = ManualClock()
/// retry.clock = clock
/// queue.addOperation(retry)
/// await clock.waitForSleepers()     // the first attempt failed, its delay runs
/// clock.advance(by: .seconds(1))    // the delay is over, the second attempt starts
/// ```
///
/// > Thread: Any. No sleeper is resumed under a lock.
public final class ManualClock: Clock, Sendable {
    private let effects = ManualClockEffects()

    /// Makes a clock that stands still.
    public init() {}

    /// The time to which the clock was advanced.
    public var now: Instant {
        Instant(elapsed: effects.now)
    }

    /// Zero: the clock stops at exactly the time it is told.
    public var minimumResolution: Duration {
        .zero
    }

    /// The earliest sleeper's deadline; nil while nobody sleeps.
    public var nextDeadline: Instant? {
        effects.nextDeadline.map(Instant.init(elapsed:))
    }

    /// Moves the time on and resumes everybody whose deadline has come, the earliest first.
    ///
    /// Sleepers with the same deadline are resumed in the order in which they fell asleep. Resumed tasks
    /// run at once with one another; go from ``nextDeadline`` to the next and wait for what each one
    /// does where a test needs their order. The time jumps: one who wakes and sleeps again
    /// does so from the new time.
    ///
    /// - Parameter duration: How far to move, not below zero.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A ManualClock cannot go back, here by \(duration)")
        effects.advance(by: duration)
    }

    /// Suspends the calling task until the clock has been advanced to a deadline.
    ///
    /// - Parameters:
    ///   - deadline: When to go on; a deadline that has come already does not suspend.
    ///   - tolerance: Ignored, for the clock is exact.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        guard await effects.sleep(until: deadline.elapsed) == .due else {
            throw CancellationError()
        }
    }

    /// Suspends the calling task until so many tasks sleep on this clock, now or later.
    ///
    /// It also returns when the calling task is cancelled, so a test's time limit ends the wait.
    ///
    /// - Parameter count: How many sleepers to wait for, at least.
    public func waitForSleepers(_ count: Int = 1) async {
        await effects.waitForSleepers(count)
    }
}

extension ManualClock {
    /// A point in the time of a manual clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// How far the clock had been advanced since it was made.
        public let elapsed: Duration

        /// The time and its unit, for the message of a failing test.
        public var description: String {
            "ManualClock + \(elapsed)"
        }

        /// Finds the point that lies a length of time away.
        ///
        /// - Parameter duration: How much later; negative for earlier.
        /// - Returns: That point.
        public func advanced(by duration: Duration) -> Instant {
            Instant(elapsed: elapsed + duration)
        }

        /// Measures the time from this point to another.
        ///
        /// - Parameter other: Another point of the same clock.
        /// - Returns: The time between; negative if the other is earlier.
        public func duration(to other: Instant) -> Duration {
            other.elapsed - elapsed
        }

        /// Tells whether one point is earlier than another of the same clock.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.elapsed < rhs.elapsed
        }
    }
}
