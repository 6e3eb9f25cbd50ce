import Dispatch

/// How many of a job's messages have been delivered.
struct JobDelivery {
    private var reader = CompletionQueue.Reader()
    /// The callback that is running.
    private(set) var callback: RunningCallback?
    /// Runs callbacks when no JobKit thread is available.
    ///
    /// A serial queue has its own thread, so it runs even if all threads of other queues are
    /// blocked.
    lazy var queue = DispatchQueue(label: "JobKit.callbacks")

    /// Takes the oldest message, which the caller must release.
    @inline(__always)
    mutating func dequeue(from completionQueue: CompletionQueue) -> JobState.Message? {
        completionQueue.isEmpty ? nil : completionQueue.dequeue(&reader)
    }

    /// Returns whether the action calls the job's code.
    @inline(__always)
    mutating func actionBegan(_ action: JobState.Machine.Action, at now: CoarseTime) -> Bool {
        callback = RunningCallback(action, since: now)
        return callback != nil
    }

    mutating func callbackReturned() { callback = nil }
}
