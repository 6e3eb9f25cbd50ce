import JobKit

/// A clock that only a test advances.
///
/// Use it in the code under test instead of a `ContinuousClock`, to test every delay, time limit
/// and backoff without waiting:
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

    /// Zero, because the clock is exact.
    public var minimumResolution: Duration {
        .zero
    }

    /// The deadline of the earliest sleeper.
    ///
    /// Nil if there are no sleepers.
    public var nextDeadline: Instant? {
        guarded.withLock { $0.nextDeadline }.map(Instant.init(elapsed:))
    }

    /// Advances the time, and resumes every sleeper that has reached its deadline, the earliest
    /// first.
    ///
    /// Sleepers with the same deadline are resumed in the order in which they fell asleep. The
    /// resumed Swift tasks run concurrently. If a test needs their order, it must advance to one
    /// ``nextDeadline`` after another, and wait for the effect of each. The time jumps to its new
    /// value before sleepers wake, so a Swift task that sleeps again does so from the new time.
    ///
    /// - Parameter duration: The time to add, which must not be negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A ManualClock cannot go back, here by \(duration)")
        send { $0.advanced(by: duration) }
    }

    /// Suspends the calling Swift task until the clock has been advanced to a deadline.
    ///
    /// - Parameters:
    ///   - deadline: The time at which to resume. If it has already come, the call returns at once.
    ///   - tolerance: Ignored, because the clock is exact.
    /// - Throws: `CancellationError` as soon as the Swift task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let ending = await wait { $0.sleepBegan($1, until: deadline.elapsed, waiter: $2) }
        guard ending == .due else { throw CancellationError() }
    }

    /// Suspends the calling Swift task until at least `count` Swift tasks sleep on this clock.
    ///
    /// It also returns when the calling Swift task is cancelled, so that a test's time limit ends
    /// the wait.
    ///
    /// - Parameter count: The number of sleepers to wait for.
    public func waitForSleepers(_ count: Int = 1) async {
        _ = await wait { $0.watchBegan($1, for: .sleepers(count), waiter: $2) }
    }

    /// Suspends the calling Swift task until a sleeper has exactly this deadline.
    ///
    /// Returns at once if there is such a sleeper. Other sleepers do not matter, so this also works
    /// if several timers use one clock:
    ///
    /// ```swift
    /// operation.maximumRuntime = .seconds(60)
    /// operation.start()                                    // its work sleeps for 5 s
    /// await clock.waitForDeadline(clock.now.advanced(by: .seconds(5)))
    /// clock.advance(by: .seconds(5))
    /// ```
    ///
    /// It also returns when the calling Swift task is cancelled, so that a test's time limit ends
    /// the wait.
    ///
    /// - Parameter deadline: The sleeper's deadline. No sleeper can have a deadline that has
    ///   already come.
    public func waitForDeadline(_ deadline: Instant) async {
        _ = await wait { $0.watchBegan($1, for: .deadline(deadline.elapsed), waiter: $2) }
    }

    /// Suspends the calling Swift task until the machine resumes it or it is cancelled.
    private func wait(
        _ began: (inout Machine, Machine.WaiterID, Waiter) -> [Machine.Resumption]
    ) async -> ManualClockEnding {
        let id = guarded.withLock { $0.nextID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                send { machine in
                    // Read under the lock: the handler of an earlier cancellation found no wait,
                    // and that of a later one finds it.
                    Task.isCancelled
                        ? [Machine.Resumption(waiter: continuation, ending: .cancelled)]
                        : began(&machine, id, continuation)
                }
            }
        } onCancel: {
            send { $0.waitCancelled(id) }
        }
    }

    /// Passes an input to the machine, and resumes Swift tasks after the lock is released.
    private func send(_ input: (inout Machine) -> [Machine.Resumption]) {
        let resumptions = guarded.withLock { input(&$0) }
        for resumption in resumptions { resumption.waiter.resume(returning: resumption.ending) }
    }
}

extension ManualClock {
    /// A point in time of a manual clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time by which the clock had been advanced since its creation.
        public let elapsed: Duration

        /// Creates the point at which a clock has been advanced by a duration since its creation.
        public init(elapsed: Duration) {
            self.elapsed = elapsed
        }

        /// The time with its unit, for the message of a failing test.
        public var description: String {
            "ManualClock + \(elapsed)"
        }

        /// Returns the point that is a duration later, or the last or first possible point.
        ///
        /// - Parameter duration: The time to the new point. A negative duration gives an earlier
        ///   point.
        /// - Returns: The new point.
        public func advanced(by duration: Duration) -> Instant {
            Instant(elapsed: elapsed.adding(duration))
        }

        /// Returns the time from this point to another.
        ///
        /// - Parameter other: Another point of the same clock.
        /// - Returns: The time between the points, which is negative if the other one is earlier.
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
    /// Returns the sum, or the longest or shortest duration if the sum does not fit.
    func adding(_ other: Duration) -> Duration {
        let (sum, overflows) = attoseconds.addingReportingOverflow(other.attoseconds)
        return Duration(attoseconds: !overflows ? sum : other < .zero ? .min : .max)
    }

    /// Returns the difference, or the longest or shortest duration if the difference does not fit.
    func subtracting(_ other: Duration) -> Duration {
        let (difference, overflows) = attoseconds.subtractingReportingOverflow(other.attoseconds)
        return Duration(attoseconds: !overflows ? difference : other < .zero ? .max : .min)
    }
}
