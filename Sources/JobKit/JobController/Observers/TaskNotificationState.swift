/// Counts the threads that are notifying observers of a task, and records whether its end was sent.
///
/// The job's lock guards it. Its methods return the actions that follow from a change.
///
/// A job waits for a task while observers are notified of it, so that the job's own finish is the
/// last event. Observers are notified either of a task's finish or of its drop, never of both.
struct TaskNotificationState: Hashable, Sendable {
    /// The number of threads that are notifying observers.
    private var count: UInt16 = 0
    /// Whether observers were notified of the task's finish or drop, or are being notified.
    private(set) var endIsNotified = false
    /// Whether the job would have stopped waiting if no thread were notifying observers.
    private var isReleasable = false

    /// Whether a thread is notifying, so observers that were removed may receive more events.
    var isNotifying: Bool { count > 0 }

    /// Begins the notification of an event.
    ///
    /// - Returns: False if observers were already notified of the task's end. For a delivery, false
    ///   if they were not.
    mutating func begin(_ kind: JobEvent.Kind) -> Bool {
        guard endIsNotified == (kind == .delivered) else { return false }
        count += 1
        if kind == .finished || kind == .dropped { endIsNotified = true }
        return true
    }

    /// Ends a notification, and returns whether the caller must stop waiting.
    mutating func end() -> Bool {
        precondition(isNotifying, "end() without begin(_:)")
        count -= 1
        return !isNotifying && isReleasable
    }

    /// The action to perform when the job may stop waiting for the task.
    enum ReleaseAction: Equatable {
        case stopWaiting
        /// Notify observers that the task is dropped, and then stop waiting.
        case notifyDrop
        /// Do nothing, because the thread that is notifying observers stops the wait afterwards.
        case later
    }

    /// Records that the job may stop waiting for the task.
    mutating func waitIsOver(isObserved: Bool) -> ReleaseAction {
        isReleasable = true
        guard !isNotifying else { return .later }
        guard isObserved, begin(.dropped) else { return .stopWaiting }
        return .notifyDrop
    }
}
