/// Receives the events of a job and of its nested jobs, to log, count or trace them.
public protocol JobObserver: AnyObject, Sendable {
    /// Called for each event, on the thread of the event, before the step that the event enables.
    ///
    /// No lock is held: an observer may call every method of the job. Calls for different
    /// operations may overlap; calls for one operation of one job do not.
    ///
    /// Events add up: every ``JobEvent/Kind/tracked`` is followed by one ``JobEvent/Kind/finished``
    /// or one ``JobEvent/Kind/dropped``, before the job's own finish. An operation that several
    /// jobs track has events from each of them; the numbers of the operation and of its parent
    /// together tell them apart.
    ///
    /// - Parameters:
    ///   - job: The job that tracks the operation, or the observed job for its own events.
    ///   - event: What happened.
    func job(_ job: JobController, didRecord event: JobEvent)
}
