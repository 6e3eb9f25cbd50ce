/// The entries of a queue whose readiness is polled, and the time of the next poll.
///
/// A user's own `isReady` may change without notice, and a plain operation may be cancelled without
/// notice. Each poll checks up to 10,000 entries, in rotation. The next polls come sooner after an
/// entry was found unready for the first time, and while most entries no longer wait.
struct ReadinessPolls: Sendable {
    private var tickets = FIFO<TaskQueueTicket>()
    /// The time from one poll to the next, in milliseconds.
    private var pause = Self.longestPause
    /// How many polls are scheduled, of which only the last one schedules another.
    private var scheduledCount = 0
    private var isScheduledSoon = false

    static let longestPause = 100
    /// How many entries are checked at a time.
    static let mostPolled = 10_000

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - ticket: The entry's ticket.
    ///   - isSoon: Whether to check it soon.
    /// - Returns: The time until the poll to schedule, or nil if a poll is scheduled.
    mutating func entryAdded(_ ticket: TaskQueueTicket, isSoon: Bool) -> Int? {
        tickets.append(ticket)
        guard isSoon ? !isScheduledSoon : scheduledCount == 0 else { return nil }
        if isSoon { (isScheduledSoon, pause) = (true, 1) }
        return schedulePoll()
    }

    /// Starts a poll and returns the entries to check.
    mutating func pollBegan() -> [TaskQueueTicket] {
        scheduledCount -= 1
        isScheduledSoon = false
        return (0..<min(tickets.count, Self.mostPolled)).compactMap { _ in tickets.popFirst() }
    }

    /// Ends a poll.
    ///
    /// - Parameters:
    ///   - count: How many entries were checked.
    ///   - remaining: Those that continue to wait.
    /// - Returns: The time until the poll to schedule, or nil if none is needed or one is scheduled.
    mutating func pollFinished(_ count: Int, remaining: [TaskQueueTicket]) -> Int? {
        for ticket in remaining { tickets.append(ticket) }
        pause = 2 * remaining.count < count ? 1 : min(2 * pause, Self.longestPause)
        if tickets.isEmpty { pause = Self.longestPause }
        return tickets.isEmpty || scheduledCount > 0 ? nil : schedulePoll()
    }

    private mutating func schedulePoll() -> Int {
        scheduledCount += 1
        return pause
    }
}
