/// Is told what happens in a job and in the jobs nested in it, to log, count or trace it.
public protocol JobObserver: AnyObject, Sendable {
    /// Called for each event, before what it allows happens, on the thread where it happens.
    ///
    /// No lock is held: an observer may call every method of the job. Calls for different
    /// operations may overlap. Nothing more is told of a task that the job has ceased to wait for: one
    /// that was cancelled with the job before it started, or that was left to itself.
    ///
    /// - Parameters:
    ///   - job: The job that tracks the operation, or the observed job for its own events.
    ///   - event: What happened.
    func job(_ job: JobController, didRecord event: JobEvent)
}

extension JobController {
    /// Has an observer told of the events of this job and of the jobs nested in it, from now on.
    ///
    /// A job's own events are ``JobEvent/Kind/started`` first and ``JobEvent/Kind/finished`` last.
    /// A job that nobody observes pays nothing for it. The observer is retained by the job.
    public final func addObserver(_ observer: any JobObserver) {
        lifecycle.bitwiseOr(
            OperationLifecycle.observed.rawValue,
            ordering: .acquiringAndReleasing
        )
        effects.addObserver(observer, to: self)
    }
}
