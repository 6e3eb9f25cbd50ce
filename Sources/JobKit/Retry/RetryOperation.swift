import Foundation

// Operation forces @unchecked. The job's serial callbacks make all changes, and a lock guards the
// attempt.
/// Makes attempts, one after another, until one succeeds or the policy stops.
///
/// ```swift
/// let upload = RetryOperation(.exponential(attempts: 5, initialDelay: .seconds(1))) { _ in
///     Upload(file)
/// }
/// ```
///
/// The retry ends with its last attempt's outcome and error, and with its ``value`` if an attempt
/// has one. It is a job whose tasks are its attempts: it is executing, and keeps its place in its
/// queue, until the last attempt has ended. It holds no thread while it waits. `cancel()` cancels
/// the attempt and ends a delay at once. An attempt that other code cancelled is not repeated. The
/// first attempt starts on the thread that starts the retry, later ones on one of JobKit's threads,
/// unless the retry puts its attempts into a queue.
public final class RetryOperation<Attempt: Operation>: JobController, @unchecked Sendable {
    /// What the user has passed to the retry.
    private struct Closures: Sendable {
        let policy: RetryPolicy
        let shouldRetry: @Sendable (any Error) -> Bool
        let make: @Sendable (Int) -> Attempt
    }

    /// Nil once the retry has finished.
    private let closures: Guarded<Closures?>
    private let attempt = Guarded<Attempt?>(nil)
    /// The delay before the next attempt, the last one if it has passed.
    private let delay = Guarded<Delay?>(nil)
    /// Whether attempts run in the retry's own place.
    private let startsAttempts: Bool

    /// Creates a retry.
    ///
    /// - Parameters:
    ///   - policy: Decides whether and when to make the next attempt.
    ///   - queue: Where each attempt is put; nil to run it in the retry's own place. With the retry
    ///     itself on a queue without a limit, a delay so takes no place of a limited one.
    ///   - shouldRetry: Whether an error is worth another attempt; asked before the policy.
    ///   - make: Creates the attempt with the given number, from 1: a new operation each time.
    public init(
        _ policy: RetryPolicy,
        on queue: (any OperationScheduling)? = nil,
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        make: @escaping @Sendable (_ attempt: Int) -> Attempt
    ) {
        closures = Guarded(Closures(policy: policy, shouldRetry: shouldRetry, make: make))
        startsAttempts = queue == nil
        super.init(queue: queue ?? attemptsWithDependencies)
    }

    /// The last attempt that was made; nil before the first.
    public var latestAttempt: Attempt? { attempt.withLock { $0 } }

    /// Ends the current delay, so that the next attempt starts now; without one, does nothing.
    ///
    /// For example, call it when the network is reachable again.
    public func retryNow() {
        delay.withLock { $0 }?.finish()
    }

    /// Creates and starts the first attempt.
    public override func main() {
        begin(1)
    }

    /// Carries on: whether there is another attempt is decided when the failed one is delivered.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        .carryOn
    }

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
        // The one before is a user's, and released without the lock.
        _ = self.attempt.withLock { exchange(&$0, with: attempt) }
        guard startsAttempts, attempt.isReady else {
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

    /// The value of the attempt that succeeded, or why there is none; nil until the outcome is
    /// decided.
    ///
    /// A cancelled retry gives `CancellationError`, one that has failed the last attempt's error.
    public var result: Result<Attempt.Success, any Error>? {
        outcome?
            .result {
                guard case .success(let value) = latestAttempt?.result else {
                    return ResultStorage().success(of: self)
                }
                return .success(value)
            }
    }

    /// Waits for the retry and returns the value of the attempt that succeeded.
    ///
    /// Does not start the retry. Throws at once if the retry was cancelled before it was started.
    /// In a cancelled task it keeps waiting, as `Task.value` does, and cancels nothing.
    ///
    /// - Throws: The last attempt's error; `CancellationError` if the retry was cancelled;
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

/// Where attempts go that have dependencies to wait for.
private let attemptsWithDependencies = TaskQueue(name: "JobKit.RetryOperation")

// Operation forces @unchecked. The delay is a constant.
/// The delay between two attempts, as a task: it keeps the retry going, and is cancelled with it.
///
/// Timelines show the name of the class.
final class Delay: ConcurrentOperation, @unchecked Sendable {
    private let delay: Duration

    init(_ delay: Duration, on clock: any Clock<Duration>) {
        self.delay = delay
        super.init()
        self.clock = clock
        name = "delay of \(delay)"
    }

    override func main() {
        perform(after: delay) { self.finish() }
    }

    override func didCancel() { finish() }
}
