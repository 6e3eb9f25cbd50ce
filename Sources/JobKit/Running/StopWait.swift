import Dispatch

/// The wait of one caller for the end of an operation, which the caller may stop waiting for.
final class StopWait: Sendable {
    private struct State {
        var waiter: FinishWaiter?
        var isOver = false
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
    /// - Returns: Whether it has; false if the wait was over before.
    func untilFinished(_ operation: ConcurrentOperation) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter { continuation.resume() }
            let isOver = state.withLock { state in
                state.waiter = waiter
                return state.isOver
            }
            if isOver || !operation.hooks.withLock({ $0.addWaiter(waiter) }) {
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

    /// Ends the wait after some real time, on a thread that no blocked operation holds.
    func end(after limit: Duration) {
        guard limit > .zero else { return end() }
        // Beyond what the clock can add means never.
        guard let delay = limit.dispatchInterval else { return }
        DispatchQueue(label: "JobKit.run")
            .asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.end()
            }
    }

    private func end() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.waiter
        }
        waiter?.resume()
    }
}
