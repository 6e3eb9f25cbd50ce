import Dispatch

/// How far a job's mail has been delivered.
struct JobDelivery {
    private var reader = JobMailbox.Reader()
    /// The callback that is running.
    private(set) var callback: RunningCallback?
    /// Whether observers are being notified that it has returned: the end of a job that is given up
    /// waits for that, because the job's own finish is their last event (R2).
    private(set) var isNotified = false
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

    /// Observers are about to be notified that the callback has returned.
    mutating func notificationBegan() { isNotified = true }

    mutating func callbackReturned() { (callback, isNotified) = (nil, false) }
}
