/// Whether observers are being told of a task, and whether they were told of its end: one word of a
/// task's record, and what follows from each change.
///
/// A job waits for a task while observers are told of it, so that the job's own finish is the last
/// event; and of the finish of a task and of its being dropped, one is told.
struct TaskTelling: RawRepresentable, Hashable, Sendable {
    private(set) var rawValue: UInt8

    /// The job would have settled the task if no observer were being told of it.
    private static let isDue: UInt8 = 1 << 6
    /// The finish, or that the job dropped the task, was told, or is being told.
    private static let hasEnded: UInt8 = 1 << 7
    /// Observers have left, and their leaving waits until what they are being told is told.
    private static let isAwaited: UInt8 = 1 << 4
    private static let tellers: UInt8 = isAwaited - 1

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Another thread is telling that the task is tracked.
    static let begun = Self(rawValue: 1)

    /// What follows from the job's wish to settle the task.
    enum Settling: Equatable {
        case settle
        /// Tell that the task is dropped, and settle it then.
        case tellDropped
        /// The thread that tells something of the task settles it afterwards.
        case later
    }

    /// Whether it was told, or is being told, how the task ended.
    var endIsTold: Bool { rawValue & Self.hasEnded != 0 }

    private var isTelling: Bool { rawValue & Self.tellers != 0 }

    /// A thread begins to tell something of the task; returns false if its end was told.
    mutating func begin(endsTask: Bool) -> Bool {
        guard !endIsTold else { return false }
        rawValue += 1
        if endsTask { rawValue |= Self.hasEnded }
        return true
    }

    /// What follows from the end of a telling.
    enum Ending: Equatable {
        case none
        /// Tell observers that have left, where they do not know its end, that the task is dropped;
        /// then let what waits for them go on, and end again.
        case leaveEnds
        case settle
    }

    /// The telling has ended.
    mutating func end() -> Ending {
        precondition(isTelling, "end() without a telling")
        rawValue -= 1
        guard !isTelling else { return .none }
        guard rawValue & Self.isAwaited != 0 else {
            return rawValue & Self.isDue != 0 ? .settle : .none
        }
        rawValue &= ~Self.isAwaited
        rawValue += 1
        return .leaveEnds
    }

    /// What observers that leave are to be told.
    enum Leaving: Equatable {
        /// Nothing: they know how the task has ended.
        case knowEnd
        /// That it is dropped, which is a telling.
        case tellNow
        /// What they are being told, if that is how it has ended; otherwise that it is dropped,
        /// when all that is being told is told.
        case wait(tellsDrop: Bool)
    }

    /// Observers leave.
    mutating func observersLeft() -> Leaving {
        guard isTelling else {
            guard !endIsTold else { return .knowEnd }
            rawValue += 1
            return .tellNow
        }
        rawValue |= Self.isAwaited
        return .wait(tellsDrop: !endIsTold)
    }

    /// The job waits for the task no longer.
    mutating func settle(isObserved: Bool) -> Settling {
        rawValue |= Self.isDue
        guard !isTelling else { return .later }
        guard isObserved, begin(endsTask: true) else { return .settle }
        return .tellDropped
    }
}
