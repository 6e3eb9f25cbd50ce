/// The callback in which a job is, for `explainStall`.
struct RunningCallback {
    /// The step that calls it; its mail lives as long as this stands in the job's state.
    let step: JobState.Machine.Step
    let since: CoarseTime

    /// Nil for a step that calls none of the job's code.
    @inline(__always)
    init?(_ step: JobState.Machine.Step, since: CoarseTime) {
        switch step {
        case .none, .discard, .finish: return nil
        case .deliver, .askAboutFailure, .callGroupFinished, .callAllTasksFinished, .callCancelled:
            (self.step, self.since) = (step, since)
        }
    }

    /// The record of the task that the callback is of.
    var record: TaskRecord? {
        switch step {
        case .deliver(let mail), .askAboutFailure(let mail): mail.withRecord { $0 }
        default: nil
        }
    }
}
