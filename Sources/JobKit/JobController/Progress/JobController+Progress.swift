import Foundation

extension JobController {
    /// The job's progress, as a Foundation `Progress`.
    ///
    /// `fractionCompleted` is the weight delivered divided by the weight tracked so far. A nested
    /// job, and a task that calls ``ConcurrentOperation/reportProgress(_:)``, counts by its own
    /// fraction from the time when the `main()` or callback that tracked it has returned, because
    /// until then the total is still growing.
    ///
    /// The fraction never decreases, even while further steps are discovered. It is below 1 until
    /// the job has finished, and 1 when the job has succeeded. Cancelling the progress cancels the
    /// job. Progress is computed only after this property was read.
    ///
    /// > Thread: Any. The progress changes on the threads on which tasks are delivered.
    public final var progress: Progress {
        let reporter = shell.ask { $0.progress } ?? beginProgress()
        // The thread that finishes the job may not detect the new progress object. It decides the
        // outcome under the job's lock before it looks. `isFinished` becomes true only later.
        if case .succeeded = outcome, !currentLifecycle.contains(.callingDidCancel) {
            reporter.advance(to: 1)
        }
        return reporter.progress
    }

    private func beginProgress() -> JobProgress {
        let made = JobProgress { [weak self] in self?.cancel() }
        // A snapshot may already have shown a fraction.
        if let shown = shell.shownFraction.value { made.advance(to: shown) }
        let reporter = shell.send { $0.progressAsked(made) }
        shell.beginProgress()
        // A job that has ended reports no further progress, so its last fraction is taken here.
        _ = JobShell.fraction(of: self)
        return reporter
    }
}
