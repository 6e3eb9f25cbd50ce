/// Decides which waiting entries of a queue are checked for readiness again, and when.
///
/// Each poll checks the entries that are not ready although they have no known dependency, because
/// a user's own `isReady` may change without notice. An entry with dependencies is notified of
/// their ends, but not of its own cancellation. Therefore, up to 10,000 of these entries are
/// checked every 100 ms, in rotation. After an entry was found unready for the first time, the next
/// polls come sooner. One timer serves all entries.
struct ReadinessPolls: Sendable {
    /// The time and the number of a poll.
    ///
    /// A sooner poll replaces it.
    struct ScheduledPoll: Equatable, Sendable {
        let milliseconds: Int
        fileprivate let number: Int
    }

    private var unready: [TaskQueueTicket] = []
    private var waiting = FIFO<TaskQueueTicket>()
    private var compactionThreshold = Self.smallestThreshold
    /// The next poll, or nil if none is scheduled.
    private var scheduled: ScheduledPoll?
    private var lastNumber = 0
    /// How many milliseconds ago waiting entries were checked.
    private var unpolledFor = 0

    static let longestPause = 100
    static let shortestPause = 1
    /// How many waiting entries are checked at a time.
    static let mostPolled = 10_000
    private static let smallestThreshold = 64

    /// Adds an entry that waits for dependencies.
    ///
    /// - Parameters:
    ///   - ticket: The entry's ticket.
    ///   - waits: Whether the entry of a ticket still waits. From time to time, the others are
    ///     removed.
    /// - Returns: The poll to schedule, or nil if one is already scheduled.
    mutating func entryWaits(
        _ ticket: TaskQueueTicket,
        _ waits: (TaskQueueTicket) -> Bool
    ) -> ScheduledPoll? {
        if waiting.count > compactionThreshold {
            waiting.removeAll { !waits($0) }
            compactionThreshold = max(Self.smallestThreshold, 2 * waiting.count)
        }
        waiting.append(ticket)
        return scheduled == nil ? schedulePoll(in: Self.longestPause) : nil
    }

    /// Adds an entry that is not ready although it has no known dependency.
    ///
    /// - Returns: The poll to schedule, or nil if one is already scheduled soon enough.
    mutating func entryIsUnready(_ ticket: TaskQueueTicket) -> ScheduledPoll? {
        unready.append(ticket)
        guard scheduled?.milliseconds != Self.shortestPause else { return nil }
        return schedulePoll(in: Self.shortestPause)
    }

    /// The entries to check.
    struct Polled: Equatable {
        /// Entries without known dependencies.
        var unready: [TaskQueueTicket] = []
        /// Some of the entries that wait for dependencies.
        var waiting: [TaskQueueTicket] = []
    }

    /// Starts a poll.
    ///
    /// Returns the entries to check, or nil if another poll has replaced this one.
    mutating func pollBegan(_ begun: ScheduledPoll) -> Polled? {
        guard begun == scheduled else { return nil }
        scheduled = nil
        unpolledFor += begun.milliseconds
        var polled = Polled()
        swap(&polled.unready, &unready)
        guard unpolledFor >= Self.longestPause else { return polled }
        unpolledFor = 0
        let count = min(waiting.count, Self.mostPolled)
        polled.waiting = (0..<count).compactMap { _ in waiting.popFirst() }
        return polled
    }

    /// Ends a poll whose entries were all checked.
    ///
    /// - Parameters:
    ///   - ended: The poll.
    ///   - remaining: The checked entries that continue to wait.
    /// - Returns: The next poll to schedule, or nil if none is needed or one is already scheduled.
    mutating func pollFinished(_ ended: ScheduledPoll, remaining: Polled) -> ScheduledPoll? {
        unready += remaining.unready
        for ticket in remaining.waiting { waiting.append(ticket) }
        guard scheduled == nil, !unready.isEmpty || !waiting.isEmpty else { return nil }
        return schedulePoll(in: min(2 * ended.milliseconds, Self.longestPause))
    }

    private mutating func schedulePoll(in milliseconds: Int) -> ScheduledPoll {
        lastNumber += 1
        let made = ScheduledPoll(milliseconds: milliseconds, number: lastNumber)
        scheduled = made
        return made
    }
}
