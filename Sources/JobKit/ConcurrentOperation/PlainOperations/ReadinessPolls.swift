/// Which waiting entries of a queue are asked again whether they are ready, and when.
///
/// Each poll asks the entries that say no although nothing is known that they wait for: a user's
/// own `isReady` does not tell when it changes. An entry with dependencies hears of their ends, but
/// not that it was cancelled: up to 10,000 of those are asked every 100 ms, in rotation. The polls
/// after a new no come sooner, and one timer serves all.
struct ReadinessPolls: Sendable {
    /// When to poll, and which poll it is: a sooner one may have taken its place.
    struct ScheduledPoll: Equatable, Sendable {
        let milliseconds: Int
        fileprivate let number: Int
    }

    private var unready: [TaskQueueTicket] = []
    private var waiting = FIFO<TaskQueueTicket>()
    private var crowd = Self.smallestCrowd
    /// The poll that is to come; nil if none is.
    private var scheduled: ScheduledPoll?
    private var lastNumber = 0
    /// How long ago waiting entries were asked.
    private var unpolledFor = 0

    static let longestPause = 100
    static let shortestPause = 1
    /// How many waiting entries are asked at a time.
    static let mostPolled = 10_000
    private static let smallestCrowd = 64

    /// An entry waits for dependencies.
    ///
    /// - Parameters:
    ///   - ticket: The entry's.
    ///   - waits: Whether the entry of a ticket still waits: now and then the others are removed.
    /// - Returns: When to poll, if that was not said before.
    mutating func entryWaits(
        _ ticket: TaskQueueTicket,
        _ waits: (TaskQueueTicket) -> Bool
    ) -> ScheduledPoll? {
        if waiting.count > crowd {
            waiting.removeAll { !waits($0) }
            crowd = max(Self.smallestCrowd, 2 * waiting.count)
        }
        waiting.append(ticket)
        return scheduled == nil ? schedulePoll(in: Self.longestPause) : nil
    }

    /// An entry says that it is not ready, and nothing is known that it waits for; returns when to
    /// poll, if that was not said before.
    mutating func entryIsUnready(_ ticket: TaskQueueTicket) -> ScheduledPoll? {
        unready.append(ticket)
        guard scheduled?.milliseconds != Self.shortestPause else { return nil }
        return schedulePoll(in: Self.shortestPause)
    }

    /// Which entries to ask.
    struct Polled: Equatable {
        /// Those that have nothing to wait for.
        var unready: [TaskQueueTicket] = []
        /// Some of those that wait for dependencies.
        var waiting: [TaskQueueTicket] = []
    }

    /// Returns which entries to ask; nil if another poll has taken this one's place.
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

    /// All were asked.
    ///
    /// - Parameters:
    ///   - ended: The poll.
    ///   - remaining: Those of the asked that wait on.
    /// - Returns: When to poll next, if that is needed and was not said before.
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
