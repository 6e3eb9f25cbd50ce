import Dispatch

/// Where the one who delivers a job's mail is.
struct JobDelivery {
    private var reader = JobMailbox.Reader()
    /// The callback that is running.
    private(set) var callback: RunningCallback?
    /// Where callbacks run that no thread of JobKit's is at hand for; made when it is needed.
    private var queue: DispatchQueue?

    /// Takes the oldest mail, which the caller must release.
    @inline(__always)
    mutating func takeFirst(from mailbox: JobMailbox) -> JobState.Mail? {
        mailbox.isEmpty ? nil : mailbox.takeFirst(&reader)
    }

    @inline(__always)
    mutating func stepBegan(_ step: JobState.Machine.Step, at now: CoarseTime) {
        callback = RunningCallback(step, since: now)
    }

    mutating func callbackReturned() { callback = nil }

    /// A serial queue has a thread of its own, whatever blocks the threads of others.
    mutating func queueOfItsOwn() -> DispatchQueue {
        if let queue { return queue }
        let made = DispatchQueue(label: "JobKit.callbacks")
        queue = made
        return made
    }

    mutating func jobFinished() { queue = nil }
}
