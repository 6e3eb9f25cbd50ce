/// Decides which events of a job are kept for its listeners, and what each reader gets next.
///
/// One list serves all: as long as the largest of their limits. Events are numbered, and a reader
/// is the number of the event that it gets next; one that is further behind than its listener's
/// limit gets the number of events that it has missed.
struct JobEventsStateMachine<Event: Sendable, Waiter: Sendable>: Sendable {
    /// What a reader gets.
    enum Next {
        case event(Event)
        case omitted(Int)
        /// Nothing has come; the number is that of the wait.
        case wait(Int)
        case end
    }

    /// What is to be done with no lock held.
    struct Decision {
        /// Events of the user's errors, to be released.
        var released: [Event] = []
        var resumed: [Waiter] = []
    }

    private var kept = FIFO<Event>()
    /// The number of the next event.
    private var count = 0
    /// The limits of the listeners, by their numbers.
    private var limits: [Int: Int] = [:]
    /// The largest of them.
    private var capacity = 0
    private var waiters: [Int: Waiter] = [:]
    private var lastNumber = 0
    private var isEnded = false

    // MARK: The job

    mutating func eventRecorded(_ event: Event, isLast: Bool) -> Decision {
        guard !isEnded else { return Decision(released: [event]) }
        isEnded = isLast
        guard !limits.isEmpty else { return Decision(released: [event]) }
        kept.append(event)
        count += 1
        return Decision(released: shrink(), resumed: takeWaiters())
    }

    /// The job has finished, can never run, or is released.
    mutating func jobEnded() -> Decision {
        isEnded = true
        return Decision(resumed: takeWaiters())
    }

    // MARK: Listeners

    /// A listener begins to listen.
    ///
    /// - Returns: The listener's number, and that of its first event.
    mutating func listenerAdded(limit: Int) -> (listener: Int, start: Int) {
        let listener = drawNumber()
        limits[listener] = limit
        capacity = max(capacity, limit)
        return (listener, count)
    }

    mutating func listenerLeft(_ listener: Int) -> Decision {
        limits[listener] = nil
        capacity = limits.values.max() ?? 0
        return Decision(released: shrink())
    }

    // MARK: Readers

    /// A reader asks for what comes at its position, which moves on.
    mutating func next(at position: inout Int, of listener: Int) -> Next {
        let oldest = count - min(kept.count, limits[listener] ?? 0)
        if position < oldest {
            defer { position = oldest }
            return .omitted(oldest - position)
        }
        if let event = kept.element(at: position - (count - kept.count)) {
            position += 1
            return .event(event)
        }
        return isEnded ? .end : .wait(drawNumber())
    }

    /// A reader waits; resumed at once where something has come since it asked.
    mutating func waitBegan(_ wait: Int, _ waiter: Waiter, beyond position: Int) -> Decision {
        guard position == count, !isEnded else { return Decision(resumed: [waiter]) }
        waiters[wait] = waiter
        return Decision()
    }

    /// The task of a reader was cancelled, perhaps before its wait began.
    mutating func waitCancelled(_ wait: Int) -> Decision {
        Decision(resumed: waiters.removeValue(forKey: wait).map { [$0] } ?? [])
    }

    // MARK: Inside

    private mutating func shrink() -> [Event] {
        var released: [Event] = []
        while kept.count > capacity, let event = kept.popFirst() { released.append(event) }
        return released
    }

    private mutating func takeWaiters() -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        defer { waiters.removeAll(keepingCapacity: true) }
        return Array(waiters.values)
    }

    private mutating func drawNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

extension JobEventsStateMachine.Next: Equatable where Event: Equatable {}
extension JobEventsStateMachine.Decision: Equatable where Event: Equatable, Waiter: Equatable {}
