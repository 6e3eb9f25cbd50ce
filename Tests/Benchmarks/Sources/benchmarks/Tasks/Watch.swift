import JobKit

/// The ways in which somebody may watch a job.
enum Watch: String, CaseIterable, Sendable {
    /// Nobody does.
    case nobody = "no observer"
    /// Somebody asked for the job's progress.
    case progress = "progress asked for"
    /// An observer that does nothing is told of every event.
    case emptyObserver = "one empty JobObserver"
    /// A recorder keeps every event.
    case recorder = "one TimelineRecorder"
    /// Somebody asked for the events, and reads none: the newest 1,000 are kept.
    case events = "events asked for"

    /// Begins to watch a job that was not started.
    ///
    /// - Returns: The events, where they are asked for; kept as long as they are held.
    func begin(_ job: JobController) -> AsyncStream<JobEvent>? {
        switch self {
        case .nobody: break
        case .progress: _ = job.progress
        case .emptyObserver: job.addObserver(EmptyObserver())
        case .recorder: job.addObserver(TimelineRecorder())
        case .events: return job.events()
        }
        return nil
    }
}
