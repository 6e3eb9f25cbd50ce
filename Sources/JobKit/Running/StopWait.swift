import Dispatch

/// The wait of one caller for the end of an operation, which the caller may stop waiting for.
final class StopWait: Sendable {
    private struct State {
        var waiter: FinishWaiter?
        var isAbandoned = false
        var timeout: JobTimeoutError?
    }

    private let state = Guarded(State())

    /// Why the operation is cancelled, if its time has passed.
    var timeout: (any Error)? { state.withLock { $0.timeout } }

    /// The operation is about to be cancelled because its time has passed.
    func timedOut(_ error: JobTimeoutError) {
        state.withLock { $0.timeout = error }
    }

    /// Waits until the operation has finished, or was cancelled before it was started.
    ///
    /// - Returns: Whether it has; false if the wait was abandoned before.
    func untilFinished(_ operation: ConcurrentOperation) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter { continuation.resume() }
            let isAbandoned = state.withLock { state in
                state.waiter = waiter
                return state.isAbandoned
            }
            if isAbandoned || !operation.hooks.withLock({ $0.addWaiter(waiter) }) {
                waiter.resume()
            }
        }
        return operation.hooks.withLock { $0.isClosed || $0.willNeverRun }
    }

    /// Cancels an operation that has not been started, and waits until it is cancelled, even if a
    /// user's code that is called for this does not return.
    func untilCancelled(_ operation: ConcurrentOperation) async {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter { continuation.resume() }
            if !operation.hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
            operation.cancelElsewhere { waiter.resume() }
        }
    }

    /// Abandons the wait after some real time, on a thread that no blocked operation holds.
    func abandon(after limit: Duration) {
        guard limit > .zero else { return abandon() }
        // Beyond what the clock can add means never.
        guard let delay = limit.dispatchInterval else { return }
        DispatchQueue(label: "JobKit.run")
            .asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.abandon()
            }
    }

    private func abandon() {
        let waiter = state.withLock { state in
            state.isAbandoned = true
            return state.waiter
        }
        waiter?.resume()
    }
}
