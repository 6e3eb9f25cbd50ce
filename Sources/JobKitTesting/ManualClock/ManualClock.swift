import JobKit

/// A clock whose time passes only when a test says so.
///
/// Give it to the code under test instead of a `ContinuousClock`, to test every delay, limit and
/// backoff without waiting:
///
/// ```swift
/// let clock = ManualClock()
/// retry.clock = clock
/// queue.addOperation(retry)
/// await clock.waitForSleepers()     // the first attempt has failed, its delay is running
/// clock.advance(by: .seconds(1))    // the delay is over, the second attempt starts
/// ```
///
/// > Thread: Any. No lock is held while sleepers are resumed.
public final class ManualClock: Clock, Sendable {
    private typealias Waiter = CheckedContinuation<ManualClockEnding, Never>
    private typealias Machine = ManualClockStateMachine<Waiter>

    private let guarded = Guarded(Machine())

    /// Creates a clock at time zero.
    public init() {}

    /// The time to which the clock has been advanced.
    public var now: Instant {
        Instant(elapsed: guarded.withLock { $0.now })
    }

    /// Zero: the clock is exact.
    public var minimumResolution: Duration {
        .zero
    }

    /// The earliest sleeper's deadline; nil if there are no sleepers.
    public var nextDeadline: Instant? {
        guarded.withLock { $0.nextDeadline }.map(Instant.init(elapsed:))
    }

    /// Advances the time and resumes every sleeper whose deadline has come, the earliest first.
    ///
    /// Sleepers with the same deadline are resumed in the order in which they fell asleep. Resumed
    /// tasks run concurrently. A test that needs their order advances from ``nextDeadline`` to the
    /// next, and waits for the effect of each. The time jumps: a task that wakes and sleeps again
    /// does so from the new time.
    ///
    /// - Parameter duration: How far to advance; not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A ManualClock cannot go back, here by \(duration)")
        send { $0.advanced(by: duration) }
    }

    /// Suspends the calling task until the clock has been advanced to a deadline.
    ///
    /// - Parameters:
    ///   - deadline: When to resume. A deadline that has already come does not suspend.
    ///   - tolerance: Ignored, because the clock is exact.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let ending = await wait { $0.sleepBegan($1, until: deadline.elapsed, waiter: $2) }
        guard ending == .due else { throw CancellationError() }
    }

    /// Suspends the calling task until at least so many tasks are sleeping on this clock.
    ///
    /// It also returns when the calling task is cancelled, so a test's time limit ends the wait.
    ///
    /// - Parameter count: The number of sleepers to wait for.
    public func waitForSleepers(_ count: Int = 1) async {
        _ = await wait { $0.watchBegan($1, for: .sleepers(count), waiter: $2) }
    }

    /// Suspends the calling task until something sleeps until exactly this deadline.
    ///
    /// Returns at once if something already does. Other sleepers do not matter, so this works where
    /// several timers use one clock:
    ///
    /// ```swift
    /// operation.maximumRuntime = .seconds(60)
    /// operation.start()                                    // its work sleeps for 5 s
    /// await clock.waitForDeadline(clock.now.advanced(by: .seconds(5)))
    /// clock.advance(by: .seconds(5))
    /// ```
    ///
    /// It also returns when the calling task is cancelled, so a test's time limit ends the wait.
    ///
    /// - Parameter deadline: The sleeper's deadline. A deadline that has already come is never
    ///   slept for.
    public func waitForDeadline(_ deadline: Instant) async {
        _ = await wait { $0.watchBegan($1, for: .deadline(deadline.elapsed), waiter: $2) }
    }

    /// Suspends the calling task until the machine resumes it or the task is cancelled.
    private func wait(
        _ began: (inout Machine, Machine.WaiterID, Waiter) -> [Machine.Resumption]
    ) async -> ManualClockEnding {
        let id = guarded.withLock { $0.waitAnnounced() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                send { began(&$0, id, continuation) }
            }
        } onCancel: {
            send { $0.waitCancelled(id) }
        }
    }

    /// Feeds an input to the machine, and resumes tasks with the lock released.
    private func send(_ input: (inout Machine) -> [Machine.Resumption]) {
        let resumptions = guarded.withLock { input(&$0) }
        for resumption in resumptions { resumption.waiter.resume(returning: resumption.ending) }
    }
}

extension ManualClock {
    /// A point in the time of a manual clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// How far the clock had been advanced since its creation.
        public let elapsed: Duration

        /// Creates the point at which a clock has been advanced this far since its creation.
        public init(elapsed: Duration) {
            self.elapsed = elapsed
        }

        /// The time and its unit, for the message of a failing test.
        public var description: String {
            "ManualClock + \(elapsed)"
        }

        /// Returns the point that is this far away, or the last or first possible one.
        ///
        /// - Parameter duration: How much later; negative for earlier.
        /// - Returns: That point.
        public func advanced(by duration: Duration) -> Instant {
            Instant(elapsed: elapsed.adding(duration))
        }

        /// Returns the time from this point to another.
        ///
        /// - Parameter other: Another point of the same clock.
        /// - Returns: The time between; negative if the other is earlier.
        public func duration(to other: Instant) -> Duration {
            other.elapsed.subtracting(elapsed)
        }

        /// Returns whether one point is earlier than another of the same clock.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.elapsed < rhs.elapsed
        }
    }
}

extension Duration {
    /// The sum, or the longest or shortest duration where it does not fit.
    func adding(_ other: Duration) -> Duration {
        let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
        return Duration(attoseconds: !overflows ? sum : other < .zero ? .min : .max)
    }

    /// The difference, or the longest or shortest duration where it does not fit.
    func subtracting(_ other: Duration) -> Duration {
        let (difference, overflows) = attoseconds.subtractingReportingOverflow(other.attoseconds)
        return Duration(attoseconds: !overflows ? difference : other < .zero ? .max : .min)
    }
}
