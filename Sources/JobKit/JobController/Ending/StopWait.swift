import Dispatch

/// The wait of one caller for a job's finish, which may be given up.
final class StopWait: Sendable {
    private struct State {
        var waiter: FinishWaiter?
        var isAbandoned = false
        var timeout: JobTimeoutError?
    }

    private let state = Guarded(State())

    /// Why the job is cancelled, if its time has passed.
    var timeout: (any Error)? { state.withLock { $0.timeout } }

    /// The job is about to be cancelled because its time has passed.
    func timedOut(_ error: JobTimeoutError) {
        state.withLock { $0.timeout = error }
    }

    /// Waits until the job has finished, or was cancelled before it was started.
    ///
    /// - Returns: Whether it has; false if the wait was given up before.
    func untilStopped(_ job: JobController) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter { continuation.resume() }
            let isAbandoned = state.withLock { state in
                state.waiter = waiter
                return state.isAbandoned
            }
            if isAbandoned || !job.hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
        }
        return job.hooks.withLock { $0.isClosed || $0.willNeverRun }
    }

    /// Gives up after some time by the machine's clock, on a thread that no blocked operation
    /// holds.
    func giveUp(after limit: Duration) {
        guard limit > .zero else { return giveUp() }
        // Beyond what the clock can add means never.
        guard let delay = limit.dispatchInterval else { return }
        DispatchQueue(label: "JobKit.run")
            .asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.giveUp()
            }
    }

    private func giveUp() {
        let waiter = state.withLock { state in
            state.isAbandoned = true
            return state.waiter
        }
        waiter?.resume()
    }
}

/// The error of a run whose cancelled job had not finished in time.
///
/// The job keeps running: see ``JobController/run(on:stopWithin:)``.
public struct JobStopTimeoutError: Error, Hashable, CustomStringConvertible {
    /// What kept the job from finishing: the text of ``JobController/explainStall(limit:)``.
    public let explanation: String

    /// Creates the error with its explanation.
    public init(explanation: String) {
        self.explanation = explanation
    }

    /// The explanation, after a line that says what happened.
    public var description: String {
        "The job was cancelled and did not stop in time.\n\(explanation)"
    }
}

/// The error of a run whose job was cancelled because it had not finished in time.
///
/// See ``JobController/run(on:timeout:stopWithin:)``.
public struct JobTimeoutError: Error, Hashable, CustomStringConvertible {
    /// The job's name, or its type's.
    public let name: String
    /// How long the job had.
    public let timeout: Duration
    /// What the job was waiting for when the time had passed: the text of
    /// ``JobController/explainStall(limit:)``.
    public let explanation: String

    /// Creates the error.
    public init(name: String, timeout: Duration, explanation: String) {
        (self.name, self.timeout, self.explanation) = (name, timeout, explanation)
    }

    /// The explanation, after a line that says what happened.
    public var description: String {
        "\(name) had not finished within \(timeout) and was cancelled.\n\(explanation)"
    }
}
