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
    /// Observers have left while threads were notifying, and are seen to afterwards.
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

    /// What follows when a thread has notified observers.
    enum Ending: Equatable {
        case none
        /// Notify observers that have left, unless they know the task's end, that it is dropped;
        /// then let what waits for them go on, and end again.
        case notifyLeavers
        case stopWaiting
    }

    /// A thread has notified observers.
    mutating func end() -> Ending {
        precondition(isNotifying, "end() without begin(endsTask:)")
        rawValue -= 1
        guard !isNotifying else { return .none }
        guard rawValue & Self.haveLeft != 0 else {
            return rawValue & Self.isDue != 0 ? .stopWaiting : .none
        }
        rawValue &= ~Self.haveLeft
        rawValue += 1
        return .notifyLeavers
    }

    /// What follows when observers leave.
    enum Leaving: Equatable {
        /// Nothing: they know the task's end.
        case knowEnd
        /// The caller notifies them that the task is dropped.
        case notifyNow
        /// They wait until no thread is notifying. If that was not of the task's end, they are then
        /// notified that it is dropped.
        case wait(notifiesDrop: Bool)
    }

    /// Observers leave.
    mutating func observersLeft() -> Leaving {
        guard isNotifying else {
            guard !endIsNotified else { return .knowEnd }
            rawValue += 1
            return .notifyNow
        }
        rawValue |= Self.haveLeft
        return .wait(notifiesDrop: !endIsNotified)
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
