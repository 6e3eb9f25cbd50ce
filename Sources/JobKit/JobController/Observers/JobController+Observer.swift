/// Receives the events of a job and of its nested jobs, to log, count or trace them.
public protocol JobObserver: AnyObject, Sendable {
    /// Called for each event, on the thread of the event, before the step that the event enables.
    ///
    /// No lock is held, so an observer may call every method of the job. Calls for different
    /// operations may overlap, but calls for one operation of one job do not.
    ///
    /// Events add up: every ``JobEvent/Kind/tracked`` is followed by one ``JobEvent/Kind/finished``
    /// or one ``JobEvent/Kind/dropped``, before the job's own finish. If a job is dropped, that
    /// counts for everything below it, and no further events of it are received. An operation that
    /// several jobs track has events from each of them. Its own number and the number of its parent
    /// together identify them.
    ///
    /// - Parameters:
    ///   - job: The job that tracks the operation, or the observed job for its own events.
    ///   - event: The event.
    func job(_ job: JobController, didRecord event: JobEvent)
}

extension JobController {
    /// Adds an observer, which receives the events of this job and of its nested jobs from now on.
    ///
    /// A job's own events are ``JobEvent/Kind/started`` first and ``JobEvent/Kind/finished`` last.
    /// Add the observer before the start to receive every event. Tasks that were tracked earlier
    /// are then reported as ``JobEvent/Kind/tracked`` before their next event. An observer that is
    /// added after the start may receive ``JobEvent/Kind/finished`` without the earlier
    /// ``JobEvent/Kind/tracked``.
    ///
    /// A job without observers pays nothing for this feature. The job retains the observer. An
    /// observer that is added twice receives each event once.
    ///
    /// > Thread: Any.
    ///
    /// - Parameter observer: The observer.
    public final func addObserver(_ observer: any JobObserver) {
        setFlag(.observed)
        // Must come before the list is changed, because the tracking of a task reads the list and
        // its finish reads the flag.
        shell.features.insert(.observed)
        change(observer, rootID: eventNumber)
    }

    /// Removes an observer that was added to this job.
    ///
    /// After this has returned, the observer receives only the calls that other threads had already
    /// begun. Its events end without adding up. If it was also added to an ancestor of this job or
    /// to a job below it, it still receives the events of that one.
    ///
    /// > Thread: Any.
    ///
    /// - Parameter observer: The observer. If it was not added, nothing happens.
    public final func removeObserver(_ observer: any JobObserver) {
        change(observer, rootID: nil)
    }

    /// Adds an observer, or removes it if there is no root.
    private func change(_ observer: any JobObserver, rootID: Int?) {
        let (passed, isComplete) = shell.send { state in
            let isComplete = rootID != nil && !state.machine.isStarted
            let changes = [(observer: observer, rootID: rootID)]
            return (state.observersChanged(changes, from: nil, isComplete: isComplete), isComplete)
        }
        JobObservers.passOn(passed, isComplete: isComplete)
    }

    /// Notifies the job's own observers of its start or finish.
    final func notifyOwnObservers(of kind: JobEvent.Kind) {
        let (id, time) = (eventNumber, EventTime.now)
        if kind == .started { shell.send { $0.observers.jobStarted(at: time) } }
        let (entries, startTime) = shell.ask { $0.ownObservers(rootID: id) }
        guard !entries.isEmpty else { return }
        let notification = TaskNotification(
            entries: entries,
            job: self,
            task: self,
            taskID: id,
            isConcurrent: true,
            group: nil,
            startTime: startTime
        )
        notification.post(kind, at: time)
    }
}
