import Dispatch
import Foundation

extension ConcurrentOperation {
    /// Starts the operation and waits until it has finished.
    ///
    /// ```swift
    /// do {
    ///     try await job.run(timeout: .seconds(30), stopWithin: .seconds(5))
    /// } catch let error as JobStopTimeoutError {
    ///     log(error.explanation)          // which task has not stopped
    /// }
    /// ```
    ///
    /// If the calling Swift task is cancelled, or if the timeout passes, the operation is
    /// cancelled, and the call waits until it has stopped. The call returns when the operation has
    /// finished, even if a `cancel()` or `didCancel()` has not returned, because that method runs
    /// on its own thread. If the operation has a value, `run` returns it.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the operation is started. Nil for ``TaskQueue/shared``.
    ///   - timeout: How long the operation has from this call, on its ``clock``. Nil for no limit.
    ///     The wait for a permit of `queue` counts.
    ///   - stopWithin: How long to wait, in real time, for an operation that was cancelled because
    ///     of the Swift task or the timeout. Nil for no limit, and 0 or less not to wait at all.
    /// - Throws: The operation's error, `CancellationError` if it was cancelled,
    ///   ``JobTimeoutError`` if the timeout has cancelled it, or ``JobStopTimeoutError`` if it had
    ///   not finished when `stopWithin` had passed. In the last case, it continues, and keeps
    ///   itself alive until it has finished.
    @_disfavoredOverload
    public final func run(
        on queue: (any OperationScheduling)? = nil,
        timeout: Duration? = nil,
        stopWithin: Duration? = nil
    ) async throws {
        try await runUntilFinished(on: queue, timeout, stopWithin)
    }

    fileprivate func runUntilFinished(
        on queue: (any OperationScheduling)?,
        _ timeout: Duration?,
        _ stopLimit: Duration?
    ) async throws {
        let queue = queue ?? TaskQueue.shared
        let wait = StopWait(limit: stopLimit)
        let timer = timeout.flatMap { timeout in
            TimerStart.Wait(timeout, on: clock) { [self] in
                var error: JobTimeoutError?
                if !isCancelled {
                    let explanation = stallExplanation(in: queue)
                    error = JobTimeoutError(name: label, limit: timeout, explanation: explanation)
                }
                wait.stopRequested(error)
                cancelElsewhere()
            }
        }
        defer {
            timer?.cancel()
            wait.end()
        }
        let wasCancelled = Task.isCancelled
        if wasCancelled {
            wait.stopRequested()
            // Before the start, so that `main()` is never entered.
            await wait.untilCancelled(self)
        }
        let hasFinished = await withTaskCancellationHandler {
            start(on: queue)
            return await wait.untilFinished(self, in: queue)
        } onCancel: {
            guard !wasCancelled else { return }
            wait.stopRequested()
            // On another thread, because Swift holds a lock here, and `cancel()` calls user code.
            cancelElsewhere()
        }
        guard hasFinished else {
            throw JobStopTimeoutError(name: label, explanation: stallExplanation(in: queue))
        }
        switch outcome {
        case .succeeded: return
        case .failed(let error): throw error
        case .cancelled, nil: throw wait.timeout ?? CancellationError()
        }
    }

    private func start(on queue: any OperationScheduling) {
        if let job = asJob { job.startJob(on: queue) } else { queue.addOperation(self) }
    }

    /// Cancels the operation on a separate thread, because user code may block that thread.
    func cancelElsewhere(then body: @escaping @Sendable () -> Void = {}) {
        DispatchQueue(label: "JobKit.run.cancel")
            .async { [self] in
                cancel()
                body()
            }
    }
}

extension ValueProducing {
    /// Starts the operation, waits until it has finished, and returns its value.
    ///
    /// ```swift
    /// let report = try await Report(for: month).run(timeout: .seconds(30))
    /// ```
    ///
    /// Everything else is as in ``ConcurrentOperation/run(on:timeout:stopWithin:)``.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the operation is started. Nil for ``TaskQueue/shared``.
    ///   - timeout: How long the operation has from this call, on its clock. Nil for no limit.
    ///   - stopWithin: How long to wait, in real time, for an operation that was cancelled because
    ///     of the Swift task or the timeout. Nil for no limit, and 0 or less not to wait at all.
    /// - Returns: The value.
    /// - Throws: The operation's error, `CancellationError` if it was cancelled,
    ///   ``MissingResultError`` if it finished without a value, ``JobTimeoutError`` if the timeout
    ///   has cancelled it, or ``JobStopTimeoutError`` if it had not finished when `stopWithin` had
    ///   passed.
    @discardableResult
    public func run(
        on queue: (any OperationScheduling)? = nil,
        timeout: Duration? = nil,
        stopWithin: Duration? = nil
    ) async throws -> Success {
        try await runUntilFinished(on: queue, timeout, stopWithin)
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}
