import Foundation

// Operation forces @unchecked. The job's serial callbacks make all changes, and a lock guards the
// attempt.
/// Makes attempts, one after another, until one succeeds or the policy gives up.
///
/// ```swift
/// let upload = RetryOperation(.exponential(attempts: 5, initialDelay: .seconds(1))) { _ in
///     Upload(file)
/// }
/// ```
///
/// The retry ends with its last attempt's outcome and error. It is a job whose tasks are its
/// attempts: it is executing, and keeps its place in its queue, until the last attempt has ended.
/// It holds no thread while it waits. `cancel()` cancels the attempt and ends a delay at once. An
/// attempt that other code cancelled is not repeated. The first attempt starts on the thread that
/// starts the retry, later ones on one of JobKit's threads.
public final class RetryOperation<Attempt: Operation>: JobController, @unchecked Sendable {
    private let policy: RetryPolicy
    private let shouldRetry: @Sendable (any Error) -> Bool
    private let make: @Sendable (Int) -> Attempt
    private let attempt = Guarded<Attempt?>(nil)

    /// Creates a retry.
    ///
    /// - Parameters:
    ///   - policy: Decides whether and when to make the next attempt.
    ///   - shouldRetry: Whether an error is worth another attempt; asked before the policy.
    ///   - make: Creates the attempt with the given number, from 1: a new operation each time.
    public init(
        _ policy: RetryPolicy,
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        make: @escaping @Sendable (_ attempt: Int) -> Attempt
    ) {
        self.policy = policy
        self.shouldRetry = shouldRetry
        self.make = make
        super.init()
    }

    /// The last attempt that was made; nil before the first.
    public var finalAttempt: Attempt? { attempt.withLock { $0 } }

    /// Creates and starts the first attempt.
    public override func main() {
        begin(1)
    }

    /// Carries on: whether there is another attempt is decided when the failed one is delivered.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        .carryOn
    }

    private func begin(_ number: Int) {
        let attempt = make(number)
        // The one before is a user's, and released without the lock.
        let replaced = self.attempt.withLock { last in
            defer { last = attempt }
            return last
        }
        withExtendedLifetime(replaced) {}
        guard attempt.isReady else {
            return trackAndQueue(attempt, on: attemptsWithDependencies) { self.ended($0, number) }
        }
        track(attempt) { self.ended($0, number) }
        attempt.start()
    }

    private func ended(_ attempt: Attempt, _ number: Int) {
        let outcome = (attempt as? ConcurrentOperation)?.outcome
        switch outcome ?? (attempt.isCancelled ? .cancelled : .succeeded) {
        case .succeeded: finish()
        case .cancelled: finish(with: CancellationError())
        case .failed(let error): failed(number, error)
        }
    }

    private func failed(_ number: Int, _ error: any Error) {
        guard shouldRetry(error), let delay = policy.nextDelay(number, error) else {
            return finish(with: error)
        }
        let pause = Delay(delay, on: clock)
        track(pause) { _ in self.begin(number + 1) }
        pause.start()
    }
}

/// Where attempts go that have dependencies to wait for.
private let attemptsWithDependencies = TaskQueue(name: "JobKit.RetryOperation")
