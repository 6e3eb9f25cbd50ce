import Foundation

extension JobController {
    /// How far the job is, as Foundation's `Progress`.
    ///
    /// `fractionCompleted` is the weight delivered over the weight tracked so far, where a nested
    /// job counts by its own fraction. It never goes back while steps are still discovered, is below
    /// 1 until the job has finished, and 1 when it has succeeded. Cancelling the progress cancels
    /// the job. A job that nobody asks for its progress does not report any.
    ///
    /// > Thread: Any. The progress changes on the threads on which tasks are delivered.
    public final var progress: Progress {
        if let reporter = effects.state.withLock({ $0.progress }) { return reporter.progress }
        let made = JobProgress { [weak self] in self?.cancel() }
        let reporter = effects.state.withLock { state in
            let reporter = state.progress ?? made
            state.progress = reporter
            return reporter
        }
        effects.reportProgress()
        if case .succeeded = outcome { reporter.advance(to: 1) }
        return reporter.progress
    }
}
