/// The callback that a job is running, for `explainStall`.
struct RunningCallback {
    /// The action that calls it.
    ///
    /// Its message lives as long as this value is in the job's state.
    let action: JobState.Machine.Action
    let since: CoarseTime

    /// Nil for an action that does not call the job's code.
    @inline(__always)
    init?(_ action: JobState.Machine.Action, since: CoarseTime) {
        switch action {
        case .none, .discard, .finish: return nil
        case .deliver, .callTaskFailed, .callGroupFinished, .callAllTasksFinished, .callCancelled:
            (self.action, self.since) = (action, since)
        }
    }

    /// The record of the callback's task, if it has one.
    var record: TaskRecord? {
        switch action {
        case .deliver(let message), .callTaskFailed(let message): message.withRecord { $0 }
        default: nil
        }
    }
}
