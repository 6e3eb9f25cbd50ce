import JobKit

/// The ways to watch a job.
enum Watch: String, CaseIterable, Sendable {
    /// Nothing watches the job.
    case nobody = "no observer"
    /// The job's progress was requested.
    case progress = "progress asked for"
    /// An observer that does nothing receives every event.
    case emptyObserver = "one empty JobObserver"
    /// A recorder keeps every event.
    case recorder = "one TimelineRecorder"
    /// The events were requested but are not read, so that the newest 1,000 are kept.
    case events = "events asked for"

    /// Begins to watch a job that was not started.
    ///
    /// - Returns: The events, if this way requests them. They are buffered while the caller retains
    ///   the stream.
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
