import Foundation

// Operation forces @unchecked. Only the job's serial callbacks make changes, and a lock guards the
// attempt.
/// Makes attempts, one after another, until one succeeds or the policy stops.
///
/// ```swift
/// let upload = RetryOperation(.exponential(attempts: 5, initialDelay: .seconds(1))) { _ in
///     Upload(file)
/// }
/// ```
///
/// The retry ends with the outcome and error of its last attempt, and with its ``value`` if an
/// attempt has one. It is a job whose tasks are its attempts. Therefore, it is executing and keeps
/// its permit until the last attempt has ended, but it holds no thread while it waits.
///
/// `cancel()` cancels the attempt and ends a delay at once. An attempt that other code cancelled is
/// not repeated. If the retry adds its attempts to a queue, the queue starts them. Otherwise, the
/// first attempt starts on the thread that starts the retry, and later ones start on a thread of
/// JobKit.
public final class RetryOperation<Attempt: Operation>: JobController, @unchecked Sendable {
    private typealias Closures = (
        policy: RetryPolicy, shouldRetry: @Sendable (any Error) -> Bool,
        make: @Sendable (Int) -> Attempt
    )

    /// The user's policy and closures, or nil once the retry has finished.
    private let closures: Guarded<Closures?>
    private let attempt = Guarded<Attempt?>(nil)
    /// The current delay, or the last one if it has passed.
    private let delay = Guarded<Delay?>(nil)
    /// Whether attempts run with the retry's own permit.
    private let startsAttempts: Bool

    /// Creates a retry.
    ///
    /// - Parameters:
    ///   - policy: Decides whether and when to make the next attempt.
    ///   - queue: The queue of the attempts, or nil to run them with the retry's own permit. If the
    ///     retry itself is on an unlimited queue, waiting between attempts uses no permit of a
    ///     limited one.
    ///   - shouldRetry: Whether an error is worth another attempt. Called before the policy.
    ///   - make: Creates the attempt with the given number, from 1. It must be a new operation each
    ///     time.
    public init(
        _ policy: RetryPolicy,
        on queue: (any OperationScheduling)? = nil,
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        make: @escaping @Sendable (_ attempt: Int) -> Attempt
    ) {
        closures = Guarded((policy, shouldRetry, make))
        startsAttempts = queue == nil
        super.init(queue: queue ?? attemptsWithDependencies)
    }

    /// The last attempt that was made, or nil before the first.
    public var latestAttempt: Attempt? { attempt.withLock { $0 } }

    /// Ends the current delay, so that the next attempt starts now.
    ///
    /// For example, call it when the network is reachable again. Does nothing if no delay is
    /// running.
    public func retryNow() {
        delay.withLock { $0 }?.finish()
    }

    /// Creates and starts the first attempt.
    public override func main() {
        begin(1)
    }

    /// Continues, because the next attempt is decided when the failed one is delivered.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        .carryOn
    }

    /// The error of a retry whose last attempt has succeeded without its value.
    ///
    /// Nil if there is a value, or if attempts have none.
    override var errorOfMissingValue: (any Error)? {
        guard (Attempt.self as? any ValueProducing.Type)?.owesValue == true else { return nil }
        let hasValue = (latestAttempt as? any ValueProducing)?.hasValue == true
        return hasValue ? nil : MissingResultError(name: label)
    }

    override func becameFinished() {
        super.becameFinished()
        // Released here, with no lock held.
        let released = closures.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }

    private func begin(_ number: Int) {
        guard let make = closures.withLock({ $0?.make }) else { return }
        let attempt = make(number)
        // The previous attempt is a user's, so it is released without the lock.
        _ = self.attempt.withLock { exchange(&$0, with: attempt) }
        guard startsAttempts, attempt.isReady else {
            // Into the queue of the attempts, or the one that starts an attempt once it is ready.
            return trackAndQueue(attempt) { self.ended($0, number) }
        }
        track(attempt) { self.ended($0, number) }
        attempt.start()
    }

    private func ended(_ attempt: Attempt, _ number: Int) {
        switch attempt.finalOutcome {
        case .succeeded: finish()
        case .cancelled: finish(with: CancellationError())
        case .failed(let error): failed(number, error)
        }
    }

    private func failed(_ number: Int, _ error: any Error) {
        guard let closures = closures.withLock({ $0 }), closures.shouldRetry(error),
            let delay = closures.policy.nextDelay(afterAttempt: number, error: error)
        else {
            return finish(with: error)
        }
        let pause = Delay(delay, on: clock)
        self.delay.withLock { $0 = pause }
        track(pause) { _ in self.begin(number + 1) }
        pause.start()
    }
}

extension RetryOperation: ValueProducing where Attempt: ValueProducing {
    /// The value of an attempt.
    public typealias Success = Attempt.Success

    /// The value of the attempt that succeeded or the reason why there is none, or nil if
    /// undecided.
    ///
    /// If the retry was cancelled, the result is a failure with `CancellationError`. If it has
    /// failed, the result has the last attempt's error.
    public var result: Result<Attempt.Success, any Error>? {
        outcome?
            .result {
                guard case .success(let value) = latestAttempt?.result else {
                    // A success without a value, which only `Void` can have.
                    return ResultStorage().success(of: self)
                }
                return .success(value)
            }
    }

    /// Waits for the retry and returns the value of the attempt that succeeded.
    ///
    /// This does not start the retry. It throws at once if the retry was cancelled before it was
    /// started. If the waiting Swift task is cancelled, it continues to wait, as with `Task.value`,
    /// and cancels nothing.
    ///
    /// - Throws: The last attempt's error, `CancellationError` if the retry was cancelled, or
    ///   ``MissingResultError`` if it finished without a value.
    public var value: Attempt.Success {
        get async throws { try await awaitedValue() }
    }
}

extension ValueProducing {
    fileprivate static var owesValue: Bool { Success.self != Void.self }

    fileprivate var hasValue: Bool {
        if case .success = result { true } else { false }
    }
}

/// Starts attempts that are not ready yet, for retries without a queue of attempts.
///
/// It is unlimited, so an attempt waits here only for its dependencies.
private let attemptsWithDependencies = TaskQueue(name: "JobKit.RetryOperation")

// Operation forces @unchecked. The delay is a constant.
/// The delay between two attempts, as a task that keeps the retry executing and is cancelled with
/// it.
///
/// Timelines show the name of this class as the group of all delays.
final class Delay: ConcurrentOperation, @unchecked Sendable {
    private let delay: Duration

    init(_ delay: Duration, on clock: any Clock<Duration>) {
        self.delay = delay
        super.init()
        self.clock = clock
        let isUsual = (.zero ..< .seconds(1_000_000_000)).contains(delay)
        name = "delay of \(isUsual ? delay.shortText : delay.description)"
    }

    override func main() {
        perform(after: delay) { self.finish() }
    }

    override func didCancel() { finish() }
}
