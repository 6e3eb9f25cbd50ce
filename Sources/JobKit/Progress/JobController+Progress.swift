import Foundation

extension JobController {
    /// How far along the job is, as Foundation's `Progress`.
    ///
    /// `fractionCompleted` is the weight delivered divided by the weight tracked so far. A nested
    /// job, and a task that calls ``ConcurrentOperation/reportProgress(_:)``, counts by its own
    /// fraction. The fraction never decreases, even while further steps are discovered. It is below
    /// 1 until the job has finished, and 1 when the job has succeeded. Cancelling the progress
    /// cancels the job. Progress is computed only if this property was read.
    ///
    /// > Thread: Any. The progress changes on the threads on which tasks are delivered.
    public final var progress: Progress {
        if let reporter = shell.send({ $0.progress }) { return reporter.progress }
        let made = JobProgress { [weak self] in self?.cancel() }
        let reporter = shell.send { $0.progressAsked(made) }
        if let said = reportedFraction.value { reporter.advance(to: min(said, 1.0.nextDown)) }
        ProgressReport(of: shell).begin()
        // A job that has ended reports nothing any more: what it had done stands.
        if reportedFraction.value == nil { reporter.advance(to: shell.send { $0.tally.fraction }) }
        if case .succeeded = outcome { reporter.advance(to: 1) }
        return reporter.progress
    }
}
