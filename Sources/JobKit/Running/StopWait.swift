/// One caller's wait for the end of an operation, which the caller may end earlier.
final class StopWait: Sendable {
    private struct State {
        var waiter: FinishWaiter?
        var isOver = false
        /// Ends the wait.
        var timer: TimerStart.Wait?
        var timeout: JobTimeoutError?
    }

    private let state = Guarded(State())
    /// How long the operation has to stop, or nil for no limit.
    private let limit: Duration?

    init(limit: Duration?) { self.limit = limit }

    /// The error of the timeout, if the operation was cancelled because of it.
    var timeout: (any Error)? { state.withLock { $0.timeout } }

    /// Waits until the operation has finished.
    ///
    /// A ``TaskQueue`` soon finishes an operation that was cancelled before its start. In any other
    /// queue, such an operation may never be started, so the wait ends.
    ///
    /// - Returns: False if the wait ended before the operation had finished or was cancelled.
    func untilFinished(
        _ operation: ConcurrentOperation,
        in queue: any OperationScheduling
    ) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter(isForFinishOnly: queue is TaskQueue) { continuation.resume() }
            let isOver = state.withLock { state in
                state.waiter = waiter
                return state.isOver
            }
            if isOver { waiter.resume() } else { operation.add(waiter) }
        }
        return operation.hooks.withLock { $0.isClosed || $0.willNeverRun }
    }

    /// Cancels an operation that has not been started, and waits until it is cancelled.
    ///
    /// The wait ends even if user code that the cancellation calls does not return.
    func untilCancelled(_ operation: ConcurrentOperation) async {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter { continuation.resume() }
            operation.add(waiter)
            operation.cancelElsewhere { waiter.resume() }
        }
    }

    /// Ends the wait when the limit has passed, on a thread that no blocked operation holds.
    ///
    /// Only the first call starts the limit.
    ///
    /// - Parameter timeout: The error, if the operation is about to be cancelled because its time
    ///   has passed.
    func stopRequested(_ timeout: JobTimeoutError? = nil) {
        if let timeout { state.withLock { $0.timeout = timeout } }
        guard let limit else { return }
        guard limit > .zero else { return end() }
        let timer = TimerStart.Wait(limit, on: ContinuousClock()) { [weak self] in self?.end() }
        let isFirst = state.withLock { state in
            guard !state.isOver, state.timer == nil else { return false }
            state.timer = timer
            return true
        }
        if !isFirst { timer?.cancel() }
    }

    /// Ends the wait and cancels its timer.
    func end() {
        let (waiter, timer) = state.withLock { state in
            state.isOver = true
            return (state.waiter, state.timer.take())
        }
        timer?.cancel()
        waiter?.resume()
    }
}
