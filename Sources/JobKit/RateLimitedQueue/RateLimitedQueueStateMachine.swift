/// Decides which entry a queue hands on next, and when.
///
/// Time is a `Duration` since the queue was made. An entry that is handed on counts from the time
/// at which that was done, so the entries of any stretch of the interval are never more than the
/// limit, however long a hand-on takes.
struct RateLimitedQueueStateMachine<Entry> {
    enum Step {
        /// ``handedOn(at:)`` follows, unless the entry turned out to be cancelled or started.
        case handOn(Entry)
        /// In place of any sleep before; nil: no sleep.
        case sleep(Duration?)
        case nothing
    }

    private struct Waiting {
        let entry: Entry
        var priority: TaskPriority
        var isReady = false
    }

    let limit: Int
    let interval: Duration
    private var waiting: [Int: Waiting] = [:]
    private var ready = ReadyLists()
    private var readyCount = 0
    private var lastSequence = 0
    /// When the last entries were handed on, the first first; those of an interval at most.
    private var times = FIFO<Duration>()
    private var newestTime = Duration.zero
    /// The time that a sleep waits to be an interval ago; nil where nothing sleeps.
    private var timeSleptFor: Duration?
    /// Whether a caller is handing an entry on, or about to ask for the next.
    private var isHandingOn = false

    init(limit: Int, interval: Duration) {
        self.limit = limit
        self.interval = interval
    }

    /// Whether nothing waits and nothing is being handed on.
    var isIdle: Bool { waiting.isEmpty && !isHandingOn }

    // MARK: Entries

    /// The entry of this number, if it waits.
    func entry(_ sequence: Int) -> Entry? { waiting[sequence]?.entry }

    /// Returns the entry's number.
    mutating func entryAdded(_ entry: Entry, priority: TaskPriority) -> Int {
        lastSequence += 1
        waiting[lastSequence] = Waiting(entry: entry, priority: priority)
        return lastSequence
    }

    mutating func entryBecameReady(_ sequence: Int) {
        guard var found = waiting[sequence], !found.isReady else { return }
        found.isReady = true
        waiting[sequence] = found
        readyCount += 1
        ready.insert(ticket(sequence), priority: found.priority)
    }

    mutating func priorityChanged(of sequence: Int, to priority: TaskPriority) {
        guard let found = waiting[sequence], found.priority != priority else { return }
        waiting[sequence]?.priority = priority
        if found.isReady { ready.insert(ticket(sequence), priority: priority) }
        removeVoid()
    }

    /// The entry waits no longer, and is not handed on.
    ///
    /// - Returns: The entry; nil if it does not wait.
    @discardableResult
    mutating func entryLeft(_ sequence: Int) -> Entry? {
        guard let found = waiting.removeValue(forKey: sequence) else { return nil }
        if found.isReady { readyCount -= 1 }
        removeVoid()
        return found.entry
    }

    // MARK: Handing on

    /// Whether the caller is to ask for steps until there is none; another one does otherwise.
    mutating func claimSteps() -> Bool {
        guard !isHandingOn else { return false }
        isHandingOn = true
        return true
    }

    /// The next step for the caller that claimed them; `nothing` ends the claim.
    mutating func nextStep(at now: Duration) -> Step {
        forgetTimes(before: now)
        guard readyCount > 0 else {
            guard timeSleptFor == nil else {
                timeSleptFor = nil
                return .sleep(nil)
            }
            isHandingOn = false
            return .nothing
        }
        if let oldest = times.first, times.count >= limit {
            guard timeSleptFor != oldest else {
                isHandingOn = false
                return .nothing
            }
            timeSleptFor = oldest
            return .sleep(interval - (now - oldest))
        }
        while let (ticket, priority) = ready.popFirst() {
            guard let found = waiting[ticket.sequence], found.isReady, found.priority == priority
            else { continue }
            waiting[ticket.sequence] = nil
            readyCount -= 1
            return .handOn(found.entry)
        }
        preconditionFailure("a ready entry has no ticket")
    }

    /// The entry has been handed on, at this time at the latest.
    mutating func handedOn(at now: Duration) {
        forgetTimes(before: now)
        guard interval > .zero else { return }
        times.append(now)
        newestTime = now
    }

    /// The sleep is over.
    mutating func sleepEnded() { timeSleptFor = nil }

    /// Forgets what is an interval ago; if the clock went back, what was handed on later counts
    /// from now.
    private mutating func forgetTimes(before now: Duration) {
        if now < newestTime, !times.isEmpty {
            let earlier = times.elements.map { min($0, now) }
            times = FIFO()
            for time in earlier { times.append(time) }
        }
        newestTime = min(newestTime, now)
        while let oldest = times.first, now - oldest >= interval { _ = times.popFirst() }
    }

    private mutating func removeVoid() {
        guard ready.isCrowded else { return }
        ready.removeVoid { [waiting] ticket, priority in
            guard let found = waiting[ticket.sequence] else { return false }
            return found.isReady && found.priority == priority
        }
    }

    private func ticket(_ sequence: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: sequence, slot: 0)
    }
}

extension RateLimitedQueueStateMachine.Step: Equatable where Entry: Equatable {}
