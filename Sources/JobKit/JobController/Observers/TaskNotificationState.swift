/// Counts the threads that are notifying observers of a task, and records whether its end was sent.
///
/// The job's lock guards it. Its methods return the actions that follow from a change.
///
/// A job waits for a task while observers are notified of it, so that the job's own finish is the
/// last event. Observers are notified either of a task's finish or of its drop, never of both.
struct TaskNotificationState: RawRepresentable, Hashable, Sendable {
    private(set) var rawValue: UInt16

    /// The job would have stopped waiting for the task if no thread were notifying observers.
    private static let isReleasable: UInt16 = 1 << 14
    /// Observers were notified of the task's finish or drop, or are being notified.
    private static let hasEnded: UInt16 = 1 << 15
    /// Observers were removed while threads were notifying, and a removal waits for those threads.
    private static let hasRemovals: UInt16 = 1 << 13
    /// The number of threads that are notifying observers.
    private static let count: UInt16 = hasRemovals - 1

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// One thread is notifying observers that the task is tracked.
    static let begun = Self(rawValue: 1)

    /// Whether observers were notified of the task's end, or are being notified.
    var endIsNotified: Bool { rawValue & Self.hasEnded != 0 }

    private var isNotifying: Bool { rawValue & Self.count != 0 }

    /// Begins a notification, or returns false if observers were already notified of the task's
    /// end.
    mutating func begin(endsTask: Bool) -> Bool {
        guard !endIsNotified else { return false }
        rawValue += 1
        if endsTask { rawValue |= Self.hasEnded }
        return true
    }

    /// Begins the notification of a delivery, or returns false if observers do not know the finish.
    mutating func beginDelivery() -> Bool {
        guard endIsNotified else { return false }
        rawValue += 1
        return true
    }

    /// Ends a notification.
    ///
    /// - Returns: Whether the caller must step the removals that wait for this task, and whether it
    ///   must stop waiting.
    mutating func end() -> (stepsRemovals: Bool, stopsWaiting: Bool) {
        precondition(isNotifying, "end() without begin(endsTask:)")
        rawValue -= 1
        guard !isNotifying else { return (false, false) }
        let stepsRemovals = rawValue & Self.hasRemovals != 0
        rawValue &= ~Self.hasRemovals
        return (stepsRemovals, rawValue & Self.isReleasable != 0)
    }

    /// Records that observers were removed.
    ///
    /// - Returns: Whether a thread is still notifying, so the removed observers may receive more
    ///   events.
    mutating func observersRemoved() -> Bool {
        if isNotifying { rawValue |= Self.hasRemovals }
        return isNotifying
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
        rawValue |= Self.isReleasable
        guard !isNotifying else { return .later }
        guard isObserved, begin(endsTask: true) else { return .stopWaiting }
        return .notifyDrop
    }
}
