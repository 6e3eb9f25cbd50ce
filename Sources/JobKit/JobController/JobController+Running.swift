import Dispatch
import Foundation

extension JobController {
    /// Starts the job on ``TaskQueue/shared``.
    public final func startJob() {
        startJob(on: TaskQueue.shared)
    }

    /// Starts the job on a queue.
    public final func startJob(on queue: any OperationScheduling) {
        if let queue = queue as? OperationQueue {
            shell.jobQueued(in: queue)
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
    /// } catch let error as JobDidNotStop {
    ///     log(error.explanation)          // which task has not stopped
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - queue: Where the job is started; nil for ``TaskQueue/shared``.
    ///   - limit: How long to wait for the job, in real time, after the calling task was cancelled;
    ///     nil to wait until it has finished, 0 or less not to wait at all.
    /// - Throws: The job's error; `CancellationError` if the job was cancelled; ``JobDidNotStop``
    ///   if it had not finished when the limit passed. The job then keeps running and keeps itself
    ///   alive until it has finished.
    public final func run(
        on queue: (any OperationScheduling)? = nil,
        stopWithin limit: Duration? = nil
    ) async throws {
        let wait = StopWait()
        let hasStopped = await withTaskCancellationHandler {
            startJob(on: queue ?? TaskQueue.shared)
            return await wait.untilStopped(self)
        } onCancel: {
            guard let limit else { return cancel() }
            wait.giveUp(after: limit)
            // Elsewhere: `run` cannot return before this has, and the cancel calls the user's code.
            DispatchQueue(label: "JobKit.run.cancel").async { self.cancel() }
        }
        guard hasStopped else { throw JobDidNotStop(explanation: explainStall()) }
        switch outcome {
        case .succeeded: return
        case .failed(let error): throw error
        case .cancelled, nil: throw CancellationError()
        }
    }
}
