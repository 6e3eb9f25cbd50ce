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

    /// Begins to watch a job that was not started.
    func begin(_ job: JobController) {
        switch self {
        case .nobody: break
        case .progress: _ = job.progress
        case .emptyObserver: job.addObserver(EmptyObserver())
        case .recorder: job.addObserver(TimelineRecorder())
        }
    }
}
