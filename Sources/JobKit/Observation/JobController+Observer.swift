extension JobController {
    /// Adds an observer, which receives the events of this job and of its nested jobs from now on.
    ///
    /// A job's own events are ``JobEvent/Kind/started`` first and ``JobEvent/Kind/finished`` last.
    /// Add the observer before the start to receive every event: tasks that were tracked earlier
    /// are then reported as ``JobEvent/Kind/tracked`` before their next event. An observer that is
    /// added after the start may receive the finish of a task whose tracking it has missed.
    ///
    /// A job without observers pays nothing for this feature. The job retains the observer. An
    /// observer that is added twice receives each event once.
    ///
    /// > Thread: Any.
    ///
    /// - Parameter observer: The observer.
    public final func addObserver(_ observer: any JobObserver) {
        lifecycle.bitwiseOr(
            OperationLifecycle.observed.rawValue,
            ordering: .acquiringAndReleasing
        )
        ObserverWalk.add(observer, to: self)
    }

    /// Tells the job's own observers of its start or finish.
    final func tellOwn(_ kind: JobEvent.Kind) {
        let id = eventNumber
        let entries = shell.send { $0.observers.entries }
        guard entries.contains(where: { $0.rootID == id }) else { return }
        let time = EventTime.now
        let startTime = shell.send { state in
            if kind == .started { state.observers.jobStarted(at: time) }
            return state.observers.startTime
        }
        let event = JobEvent(kind, ofObserved: self, startTime: startTime, time: time)
        for entry in entries where entry.rootID == id { entry.observer.job(self, didRecord: event) }
    }
}
