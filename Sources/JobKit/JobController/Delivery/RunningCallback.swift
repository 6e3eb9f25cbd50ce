/// The callback in which a job is, for `explainStall`.
struct RunningCallback {
    enum Kind {
        case task
        case failure
        case delayed
        /// Of the group of this number.
        case group(Int)
        case allTasks
        case cancelled
    }

    let kind: Kind
    let since: CoarseTime
    /// The mail that is delivered, which lives as long as this stands in the job's state.
    private let mail: Unmanaged<JobMail>?

    /// Nil for a step that calls none of the job's code.
    @inline(__always)
    init?(_ step: JobState.Machine.Step, since: CoarseTime) {
        switch step {
        case .none, .discard, .finish: return nil
        case .deliver(let mail):
            self.mail = mail
            kind = mail._withUnsafeGuaranteedRef { $0.record == nil } ? .delayed : .task
        case .askAboutFailure(let mail): (self.mail, kind) = (mail, .failure)
        case .tellGroupFinished(let number): (mail, kind) = (nil, .group(number))
        case .tellAllTasksFinished: (mail, kind) = (nil, .allTasks)
        case .tellCancelled: (mail, kind) = (nil, .cancelled)
        }
        self.since = since
    }

    /// The record of the task that the callback is of.
    var record: TaskRecord? { mail?.withRecord { $0 } }
}
