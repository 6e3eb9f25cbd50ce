import Dispatch
import Foundation

extension JobController {
    /// Starts the job on ``TaskQueue/shared``.
    public final func startJob() {
        startJob(on: TaskQueue.shared)
    }

    /// Starts the job on a queue.
    public final func startJob(on queue: any OperationScheduling) {
        if !(queue is TaskQueue) {
            shell.send { $0.owner.jobQueued(in: queue) }
        }
        queue.addOperation(self)
    }

    /// Starts the job and waits until it has finished.
    ///
    /// Cancelling the calling task cancels the job; the call then waits until the job's tasks have
    /// stopped. A limit bounds that wait, in case work ignores the cancel.
    ///
    /// ```swift
    /// do {
    ///     try await job.run(stopWithin: .seconds(5))
    /// } catch let error as JobStopTimeoutError {
    ///     log(error.explanation)          // which task has not stopped
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - queue: Where the job is started; nil for ``TaskQueue/shared``.
    ///   - limit: How long to wait for the job, in real time, after the calling task was cancelled;
    ///     nil to wait until it has finished, 0 or less not to wait at all.
    /// - Throws: The job's error; `CancellationError` if the job was cancelled; ``JobStopTimeoutError``
    ///   if it had not finished when the limit passed. The job then keeps running and keeps itself
    ///   alive until it has finished.
    public final func run(
        on queue: (any OperationScheduling)? = nil,
        stopWithin limit: Duration? = nil
    ) async throws {
        try await run(on: queue, stopWithin: limit, StopWait())
    }

    /// Starts the job and waits until it has finished, or cancels it when a time has passed.
    ///
    /// ```swift
    /// try await job.run(timeout: .seconds(30), stopWithin: .seconds(5))
    /// ```
    ///
    /// When the time has passed, the job is cancelled as by `cancel()`, and the call throws as soon
    /// as the job's tasks have stopped. Work that ignores the cancel delays that; a limit bounds
    /// the wait, so that the call returns after the sum of both at the latest. A task's
    /// ``ConcurrentOperation/maximumStopTime`` bounds it too, and ends the job as well.
    ///
    /// The time counts from the call: the wait for a place in `queue` is part of it.
    /// ``ConcurrentOperation/maximumRuntime`` counts from the job's start, and makes the job itself
    /// fail, however it was started.
    ///
    /// - Parameters:
    ///   - queue: Where the job is started; nil for ``TaskQueue/shared``.
    ///   - timeout: How long the job has, on its ``ConcurrentOperation/clock``; 0 or less cancels it
    ///     at once.
    ///   - limit: How long to wait for the job, in real time, after the timeout or after the calling
    ///     task was cancelled; nil to wait until it has finished, 0 or less not to wait at all.
    /// - Throws: ``JobTimeoutError`` if the timeout cancelled the job; otherwise as
    ///   ``run(on:stopWithin:)``, with ``JobStopTimeoutError`` if the job had not finished when the limit
    ///   passed. A job that succeeds or fails as the time passes ends as it does without one.
    public final func run(
        on queue: (any OperationScheduling)? = nil,
        timeout: Duration,
        stopWithin limit: Duration? = nil
    ) async throws {
        let wait = StopWait()
        let timer = OperationTimers.wait(timeout, on: clock) { [self] in
            if !isCancelled {
                wait.timedOut(
                    JobTimeoutError(name: label, timeout: timeout, explanation: explainStall())
                )
            }
            if let limit { wait.giveUp(after: limit) }
            // Elsewhere: the cancel calls the user's code, which may block.
            DispatchQueue(label: "JobKit.run.cancel").async { self.cancel() }
        }
        defer { timer.cancel() }
        try await run(on: queue, stopWithin: limit, wait)
    }

    private func run(
        on queue: (any OperationScheduling)?,
        stopWithin limit: Duration?,
        _ wait: StopWait
    ) async throws {
        let hasStopped = await withTaskCancellationHandler {
            startJob(on: queue ?? TaskQueue.shared)
            return await wait.untilStopped(self)
        } onCancel: {
            guard let limit else { return cancel() }
            wait.giveUp(after: limit)
            // Elsewhere: `run` cannot return before this has, and the cancel calls the user's code.
            DispatchQueue(label: "JobKit.run.cancel").async { self.cancel() }
        }
        guard hasStopped else { throw JobStopTimeoutError(explanation: explainStall()) }
        switch outcome {
        case .succeeded: return
        case .failed(let error): throw error
        case .cancelled, nil: throw wait.timeout ?? CancellationError()
        }
    }
}
