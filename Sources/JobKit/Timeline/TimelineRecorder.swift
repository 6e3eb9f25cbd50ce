import Foundation

/// Records what a job and its tasks do when, to be read as a ``Timeline`` at any time.
///
/// ```swift
/// let recorder = TimelineRecorder()
/// job.addObserver(recorder)
/// try await job.run()
/// try Data(recorder.timeline.svg().utf8).write(to: file)
/// ```
///
/// Added before the job is started, it records all of it; added later, what comes from then on. An
/// operation of Foundation's in an `OperationQueue` says nothing of its start: it counts from where it
/// was tracked. One recorder may observe several jobs, which then stand on one timeline.
///
/// It keeps about 200 bytes for each task, and no operation alive.
///
/// > Thread: Any. An event costs a short lock, which nobody holds while code of yours runs.
public final class TimelineRecorder: JobObserver {
    private let recording = Guarded(TimelineRecording())

    /// Makes a recorder that has recorded nothing.
    public init() {}

    /// What was recorded until now; what still runs ends now, or with the job that did not wait for it,
    /// without an outcome.
    ///
    /// Made anew each time, in a time that grows a little faster than the number of tasks.
    public var timeline: Timeline {
        recording.withLock { $0 }.timeline(at: .now)
    }

    /// Notes an event.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        let subject = TimelineRecording.Subject(
            id: event.operationID,
            parentID: event.parentID,
            name: event.name,
            type: event.type
        )
        let knowsJob = recording.withLock { recording in
            recording.eventRecorded(
                event.kind,
                of: subject,
                at: event.instant,
                outcome: event.outcome,
                predecessorIDs: event.dependencyIDs + [event.causeID].compactMap(\.self)
            )
            return recording.knows(job.eventID)
        }
        if !knowsJob { jobSeen(job, at: event.instant) }
    }

    /// Notes a job whose own events were missed.
    private func jobSeen(_ job: JobController, at instant: ContinuousClock.Instant) {
        let subject = TimelineRecording.Subject(
            id: job.eventID,
            parentID: nil,
            name: operationLabel(job),
            type: type(of: job)
        )
        recording.withLock { $0.jobSeen(subject, at: instant) }
    }
}
