import Dispatch

/// How much of a job's mail has been delivered.
struct JobDelivery {
    private var reader = JobMailbox.Reader()
    /// The callback that is running.
    private(set) var callback: RunningCallback?
    /// Runs callbacks when no JobKit thread is available.
    ///
    /// A serial queue has its own thread, so it runs even if all threads of other queues are
    /// blocked.
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
