import Foundation

/// Records when a job and its tasks run, to be read as a ``Timeline`` at any time.
///
/// ```swift
/// let recorder = TimelineRecorder()
/// job.addObserver(recorder)
/// try await job.run()
/// try Data(recorder.timeline.svg().utf8).write(to: file)
/// ```
///
/// A recorder that is added before the start records the whole job; one that is added later records
/// from then on. A plain operation in an `OperationQueue` does not report its start, so its entry
/// starts where it was tracked. One recorder may observe several jobs, which then share one
/// timeline.
///
/// It keeps about 200 bytes for each task, and does not retain operations.
///
/// > Thread: Any. An event takes a short lock, which is not held while your code runs.
public final class TimelineRecorder: JobObserver {
    private let recording: Guarded<TimelineRecording>

    /// Creates an empty recorder.
    ///
    /// - Parameter limit: How many operations it records at most; the later ones are counted in
    ///   ``Timeline/omittedCount``.
    public init(limit: Int = .max) {
        recording = Guarded(TimelineRecording(limit: limit))
    }

    /// The timeline so far.
    ///
    /// An operation that is still running ends now, or with the job that did not wait for it, and
    /// has no outcome. The timeline is computed on each access, in *n* log *n* time for *n* tasks.
    public var timeline: Timeline {
        recording.withLock { $0 }.timeline(at: .now)
    }

    /// Records an event.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        // Nothing that a timeline shows.
        guard event.kind != .delivered, event.kind != .dropped else { return }
        let knowsJob = recording.withLock { $0.eventRecorded(event) }
        guard !knowsJob else { return }
        let name = OperationName(of: job)
        recording.withLock { $0.jobMissed(job.eventNumber, name, at: event.time) }
    }
}
