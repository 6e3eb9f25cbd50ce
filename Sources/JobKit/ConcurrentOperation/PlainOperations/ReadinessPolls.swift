/// The entries of a queue whose readiness is polled, and the next poll.
///
/// A user's own `isReady` may change without notice, and a plain operation may be cancelled without
/// notice. Each poll checks up to 10,000 entries, in rotation. The next polls come sooner after an
/// entry was found unready for the first time, and while most entries no longer wait.
///
/// Only the earliest poll counts. A poll that comes sooner replaces the one that is scheduled.
struct ReadinessPolls: Sendable {
    /// A poll to schedule, with its number and the time until then in milliseconds.
    typealias Poll = (number: Int, pause: Int)

    private var tickets = FIFO<TaskQueueTicket>()
    /// The time from one poll to the next, in milliseconds.
    private var pause = Self.longestPause
    /// The poll that counts, or nil if none is scheduled.
    private var scheduled: Poll?
    private var lastNumber = 0

    static let longestPause = 100
    /// How many entries are checked at a time.
    static let mostPolled = 10_000

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - ticket: The entry's ticket.
    ///   - isSoon: Whether to check it soon.
    /// - Returns: The poll to schedule, or nil if one that comes as soon is scheduled.
    mutating func entryAdded(_ ticket: TaskQueueTicket, isSoon: Bool) -> Poll? {
        tickets.append(ticket)
        if isSoon { pause = 1 }
        return schedulePoll()
    }

    /// Starts a poll and returns the entries to check, or nil if another poll has replaced it.
    mutating func pollBegan(_ number: Int) -> [TaskQueueTicket]? {
        guard number == scheduled?.number else { return nil }
        scheduled = nil
        return (0..<min(tickets.count, Self.mostPolled)).compactMap { _ in tickets.popFirst() }
    }

    /// Ends a poll.
    ///
    /// - Parameters:
    ///   - count: How many entries were checked.
    ///   - remaining: Those that continue to wait.
    /// - Returns: The poll to schedule, or nil if none is needed or one is scheduled.
    mutating func pollFinished(_ count: Int, remaining: [TaskQueueTicket]) -> Poll? {
        for ticket in remaining { tickets.append(ticket) }
        pause = 2 * remaining.count < count ? 1 : min(2 * pause, Self.longestPause)
        guard tickets.isEmpty else { return schedulePoll() }
        pause = Self.longestPause
        return nil
    }

    private mutating func schedulePoll() -> Poll? {
        if let scheduled, scheduled.pause <= pause { return nil }
        lastNumber += 1
        scheduled = (lastNumber, pause)
        return scheduled
    }
}
