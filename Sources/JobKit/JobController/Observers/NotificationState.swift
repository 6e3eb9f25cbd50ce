/// Which threads are notifying observers of a task, and whether observers know its end: one word of
/// the task's record, and what follows from each change.
///
/// A job waits for a task while observers are notified of it, so that the job's own finish is the
/// last event. Of a task's finish and its being dropped, observers are notified of one.
struct NotificationState: RawRepresentable, Hashable, Sendable {
    private(set) var rawValue: UInt8

    /// The job would have stopped waiting for the task if no thread were notifying observers.
    private static let isDue: UInt8 = 1 << 6
    /// Observers were notified of the task's finish or drop, or are being notified.
    private static let hasEnded: UInt8 = 1 << 7
    /// Observers have left while threads were notifying; something waits for those threads.
    private static let haveLeft: UInt8 = 1 << 4
    /// How many threads are notifying observers.
    private static let count: UInt8 = haveLeft - 1

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A thread is notifying observers that the task is tracked.
    static let begun = Self(rawValue: 1)

    /// Whether observers were notified of the task's end, or are being notified.
    var endIsNotified: Bool { rawValue & Self.hasEnded != 0 }

    private var isNotifying: Bool { rawValue & Self.count != 0 }

    /// A thread begins to notify observers; returns false if they know the task's end.
    mutating func begin(endsTask: Bool) -> Bool {
        guard !endIsNotified else { return false }
        rawValue += 1
        if endsTask { rawValue |= Self.hasEnded }
        return true
    }

    /// A thread begins to notify observers that the task was delivered; returns false if they do not
    /// know its end.
    mutating func beginDelivery() -> Bool {
        guard endIsNotified else { return false }
        rawValue += 1
        return true
    }

    /// What follows when a thread has notified observers.
    struct EndAction: Equatable {
        /// Step what waits for the observers that have left.
        var stepsLeaves = false
        var stopsWaiting = false
    }

    /// A thread has notified observers.
    mutating func end() -> EndAction {
        precondition(isNotifying, "end() without begin(endsTask:)")
        rawValue -= 1
        guard !isNotifying else { return EndAction() }
        let stepsLeaves = rawValue & Self.haveLeft != 0
        rawValue &= ~Self.haveLeft
        return EndAction(stepsLeaves: stepsLeaves, stopsWaiting: rawValue & Self.isDue != 0)
    }

    /// Observers leave; returns whether a thread is notifying, so that they receive more until then.
    mutating func observersLeft() -> Bool {
        if isNotifying { rawValue |= Self.haveLeft }
        return isNotifying
    }

    /// What follows when the job need not wait for the task any more.
    enum Release: Equatable {
        case stopWaiting
        /// Notify observers that the task is dropped, and stop waiting then.
        case notifyDrop
        /// The thread that is notifying observers stops the wait afterwards.
        case later
    }

    /// The job need not wait for the task any more.
    mutating func waitIsOver(isObserved: Bool) -> Release {
        rawValue |= Self.isDue
        guard !isNotifying else { return .later }
        guard isObserved, begin(endsTask: true) else { return .stopWaiting }
        return .notifyDrop
    }
}
