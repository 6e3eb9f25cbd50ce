/// Which waiting entries of a queue are asked again whether they are ready, and when.
///
/// An entry that says no although nothing is known that it waits for is asked in every round: a
/// user's own `isReady` does not tell when it changes. One that waits for dependencies hears of
/// their ends, but not of its own cancelling; of those some are asked ten times a second, in turns.
/// The rounds after a new no come sooner, and one timer serves all.
struct ReadinessRound: Sendable {
    /// When to begin a round, and which: a sooner one may have taken its place.
    struct Appointment: Equatable, Sendable {
        let milliseconds: Int
        fileprivate let number: Int
    }

    private var unready: [TaskQueueTicket] = []
    private var waiting = FIFO<TaskQueueTicket>()
    private var crowd = Self.smallestCrowd
    /// The round that is to come; nil if none is.
    private var appointment: Appointment?
    private var lastNumber = 0
    /// How long ago waiting entries were asked.
    private var unaskedFor = 0

    static let longestPause = 100
    static let shortestPause = 1
    /// How many waiting entries are asked at a time.
    static let mostAsked = 10_000
    private static let smallestCrowd = 64

    /// Whether there are twice as many waiting tickets as when void ones were last removed.
    var isCrowded: Bool { waiting.count > crowd }

    /// Removes the tickets of entries that wait no longer.
    mutating func removeVoid(where waits: (TaskQueueTicket) -> Bool) {
        waiting.removeAll { !waits($0) }
        crowd = max(Self.smallestCrowd, 2 * waiting.count)
    }

    /// An entry waits for dependencies; returns when to begin a round, if that was not said before.
    mutating func entryWaits(_ ticket: TaskQueueTicket) -> Appointment? {
        waiting.append(ticket)
        return appointment == nil ? makeAppointment(in: Self.longestPause) : nil
    }

    /// An entry says that it is not ready, and nothing is known that it waits for.
    mutating func entryIsUnready(_ ticket: TaskQueueTicket) -> Appointment? {
        unready.append(ticket)
        guard appointment?.milliseconds != Self.shortestPause else { return nil }
        return makeAppointment(in: Self.shortestPause)
    }

    /// Which entries to ask.
    struct Asked: Equatable {
        /// Those that have nothing to wait for.
        var unready: [TaskQueueTicket] = []
        /// Some of those that wait for dependencies.
        var waiting: [TaskQueueTicket] = []
    }

    /// Returns which entries to ask; nil if another round has taken this one's place.
    mutating func roundBegan(_ begun: Appointment) -> Asked? {
        guard begun == appointment else { return nil }
        appointment = nil
        unaskedFor += begun.milliseconds
        var asked = Asked()
        swap(&asked.unready, &unready)
        guard unaskedFor >= Self.longestPause else { return asked }
        unaskedFor = 0
        let count = min(waiting.count, Self.mostAsked)
        asked.waiting = (0..<count).compactMap { _ in waiting.popFirst() }
        return asked
    }

    /// All were asked.
    ///
    /// - Parameters:
    ///   - ended: The round.
    ///   - remaining: Those of the asked that wait on.
    /// - Returns: When to begin the next round, if one is needed and that was not said before.
    mutating func roundEnded(_ ended: Appointment, remaining: Asked) -> Appointment? {
        unready += remaining.unready
        for ticket in remaining.waiting { waiting.append(ticket) }
        guard appointment == nil, !unready.isEmpty || !waiting.isEmpty else { return nil }
        return makeAppointment(in: min(2 * ended.milliseconds, Self.longestPause))
    }

    private mutating func makeAppointment(in milliseconds: Int) -> Appointment {
        lastNumber += 1
        let made = Appointment(milliseconds: milliseconds, number: lastNumber)
        appointment = made
        return made
    }
}
