/// The callback that a job is running, for `explainStall`.
struct RunningCallback {
    /// The step that calls it, with mail that lives as long as this value is in the job's state.
    let step: JobState.Machine.Step
    let since: CoarseTime

    /// Nil for a step that does not call the job's code.
    @inline(__always)
    init?(_ step: JobState.Machine.Step, since: CoarseTime) {
        switch step {
        case .none, .discard, .finish: return nil
        case .deliver, .askAboutFailure, .callGroupFinished, .callAllTasksFinished, .callCancelled:
            (self.step, self.since) = (step, since)
        }
    }

    /// The record of the callback's task, if it has one.
    var record: TaskRecord? {
        switch step {
        case .deliver(let mail), .askAboutFailure(let mail): mail.withRecord { $0 }
        default: nil
        }
    }
}
