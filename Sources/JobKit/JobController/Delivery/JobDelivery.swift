import Dispatch

/// How far a job's mail has been delivered.
struct JobDelivery {
    private var reader = JobMailbox.Reader()
    /// The callback that is running.
    private(set) var callback: RunningCallback?
    /// Where callbacks run that no thread of JobKit's is at hand for: a serial queue has a thread of
    /// its own, whatever blocks the threads of others.
    lazy var queue = DispatchQueue(label: "JobKit.callbacks")

    /// Takes the oldest mail, which the caller must release.
    @inline(__always)
    mutating func takeFirst(from mailbox: JobMailbox) -> JobState.Mail? {
        mailbox.isEmpty ? nil : mailbox.takeFirst(&reader)
    }

    /// Returns whether the step calls the job's code.
    @inline(__always)
    mutating func stepBegan(_ step: JobState.Machine.Step, at now: CoarseTime) -> Bool {
        callback = RunningCallback(step, since: now)
        return callback != nil
    }

    mutating func callbackReturned() { callback = nil }
}
