import Foundation

/// Records the run of a job and its tasks as a ``Timeline``.
///
/// ```swift
/// let recorder = TimelineRecorder()
/// job.addObserver(recorder)
/// try await job.run()
/// try Data(recorder.timeline.svg().utf8).write(to: file)
/// ```
///
/// The timeline can be read at any time. If a recorder is added before the start, it records the
/// whole job. Otherwise, it records the job from then on. A plain operation in an `OperationQueue`
/// does not report its start, so its entry starts when it was tracked. One recorder may observe
/// several jobs, which then share one timeline.
///
/// It needs about 200 bytes for each task, and does not retain operations.
///
/// > Thread: Any. An event takes a short lock, which is not held while your code runs.
public final class TimelineRecorder: JobObserver {
    private let recording: Guarded<TimelineRecording>

    /// Creates an empty recorder.
    ///
    /// - Parameter limit: The maximum number of recorded operations. Later ones are only counted in
    ///   ``Timeline/omittedCount``.
    public init(limit: Int = .max) {
        recording = Guarded(TimelineRecording(limit: limit))
    }

    /// The timeline so far.
    ///
    /// An operation that is still running has no outcome. It ends now, or with its job if the job
    /// did not wait for it. The timeline is computed on each access, in *n* log *n* time for *n*
    /// tasks.
    public var timeline: Timeline {
        recording.withLock { $0 }.timeline(at: .now)
    }

    /// Records an event.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        // A timeline does not show these events.
        guard event.kind != .delivered, event.kind != .dropped else { return }
        let knowsJob = recording.withLock { $0.eventRecorded(event) }
        guard !knowsJob else { return }
        let name = OperationName(of: job)
        recording.withLock { $0.jobMissed(job.eventNumber, name, at: event.time) }
    }
}
