/// Decides which entry a queue passes on next, and when.
///
/// Time is a `Duration` since the queue was created. An entry counts from the moment at which it is
/// passed on until one interval after its start. Therefore, at most `limit` entries start in any
/// interval, however long the queue below delays them.
struct RateLimitedQueueStateMachine<Entry>: HoldingStateMachine {
    enum Action {
        /// A call of ``entryStarted(_:at:)``, ``entryEnded(_:)`` or ``entryRefused(_:)`` follows.
        case passOn(Entry, TaskQueueTicket, OperationPriority)
        /// Replaces an earlier sleep.
        ///
        /// If the duration is nil, nothing sleeps.
        case sleep(Duration?)
        case nothing
    }

    /// A reading of the clock.
    struct Reading {
        /// How many readings had been used when the clock was read.
        let number: Int
        let time: Duration
    }

    private struct Waiting {
        let entry: Entry
        var priority: OperationPriority
        var isReady = false
    }

    let limit: Int
    let interval: Duration
    private var waiting: [Int: Waiting] = [:]
    /// The entries that were passed on and have not started.
    private var unstarted: [Int: Waiting] = [:]
    /// The number of the entry that is being passed on, if its start cannot be detected.
    private var hidden: Int?
    private var ready = ReadyLists()
    private var readyCount = 0
    private var lastSequence = 0
    /// The start times of the last interval, oldest first.
    private var times = FIFO<Duration>()
    private var newestTime = Duration.zero
    /// How many readings of the clock were used.
    private(set) var readingCount = 0
    /// The start time that the current sleep waits for to be one interval ago, or nil without a
    /// sleep.
    private var timeSleptFor: Duration?

    init(limit: Int, interval: Duration) {
        self.limit = limit
        self.interval = interval
    }

    /// How many entries may be passed on now.
    private var room: Int { limit - unstarted.count - times.count }

    // MARK: Entries

    func entry(_ ticket: TaskQueueTicket) -> Entry? { waiting[ticket.sequence]?.entry }

    mutating func entryAdded(_ entry: Entry, priority: OperationPriority) -> TaskQueueTicket {
        lastSequence += 1
        waiting[lastSequence] = Waiting(entry: entry, priority: priority)
        return TaskQueueTicket(sequence: lastSequence, slot: 0)
    }

    mutating func entryBecameReady(_ ticket: TaskQueueTicket) {
        guard var found = waiting[ticket.sequence], !found.isReady else { return }
        found.isReady = true
        waiting[ticket.sequence] = found
        readyCount += 1
        ready.insert(ticket, priority: found.priority)
    }

    mutating func priorityChanged(of ticket: TaskQueueTicket, to priority: OperationPriority) {
        guard let found = waiting[ticket.sequence], found.priority != priority else { return }
        waiting[ticket.sequence]?.priority = priority
        if found.isReady { ready.insert(ticket, priority: priority) }
        removeStale()
    }

    mutating func entryEnded(_ ticket: TaskQueueTicket) {
        guard ticket.sequence != hidden, unstarted.removeValue(forKey: ticket.sequence) == nil
        else { return }
        guard let found = waiting.removeValue(forKey: ticket.sequence) else { return }
        if found.isReady { readyCount -= 1 }
        removeStale()
    }

    /// Removes an entry that was passed on and can no longer start.
    mutating func entryLeft(_ ticket: TaskQueueTicket) {
        unstarted[ticket.sequence] = nil
        if hidden == ticket.sequence { hidden = nil }
    }

    /// Marks an entry whose start cannot be detected.
    ///
    /// It counts from the moment at which it has been passed on, even if it has already ended by
    /// then.
    mutating func startIsHidden(of ticket: TaskQueueTicket) { hidden = ticket.sequence }

    // MARK: Passing on

    /// Returns the next action, of which `nothing` is the last.
    mutating func nextAction(at reading: Reading) -> Action {
        let now = timePasses(to: reading)
        guard readyCount > 0 else { return sleep(for: nil, at: now) }
        guard room > 0 else { return sleep(for: times.first, at: now) }
        while let (ticket, priority) = ready.popFirst() {
            guard var found = waiting[ticket.sequence], found.isReady, found.priority == priority
            else { continue }
            waiting[ticket.sequence] = nil
            readyCount -= 1
            found.isReady = false
            unstarted[ticket.sequence] = found
            return .passOn(found.entry, ticket, priority)
        }
        preconditionFailure("a ready entry has no ticket")
    }

    /// Sleeps until the given time is one interval ago, or ends the sleep if it is nil.
    private mutating func sleep(for time: Duration?, at now: Duration) -> Action {
        guard time != timeSleptFor else { return .nothing }
        timeSleptFor = time
        return .sleep(time.map { interval - (now - $0) })
    }

    mutating func entryRefused(_ ticket: TaskQueueTicket) {
        waiting[ticket.sequence] = unstarted.removeValue(forKey: ticket.sequence)
    }

    /// Records the start of an entry, which happened at this time at the latest.
    mutating func entryStarted(_ ticket: TaskQueueTicket, at reading: Reading) {
        guard unstarted.removeValue(forKey: ticket.sequence) != nil else { return }
        if hidden == ticket.sequence { hidden = nil }
        let now = timePasses(to: reading)
        guard interval > .zero else { return }
        times.append(now)
        newestTime = now
    }

    /// Records that the sleep is over.
    mutating func sleepEnded() { timeSleptFor = nil }

    /// Removes start times that are at least one interval ago.
    ///
    /// If the clock went back, entries that started later than now count as started now. However,
    /// if another reading was used after the clock was read for this one, this one is only old.
    ///
    /// - Returns: The time that is now.
    private mutating func timePasses(to reading: Reading) -> Duration {
        let isOld = reading.number < readingCount
        let now = isOld ? max(reading.time, newestTime) : reading.time
        readingCount += 1
        if now < newestTime, !times.isEmpty {
            let earlier = times.elements.map { min($0, now) }
            times = FIFO()
            for time in earlier { times.append(time) }
        }
        newestTime = min(newestTime, now)
        while let oldest = times.first, now - oldest >= interval { _ = times.popFirst() }
        return now
    }

    private mutating func removeStale() {
        guard ready.needsCompaction else { return }
        ready.removeStale { [waiting] ticket, priority in
            guard let found = waiting[ticket.sequence] else { return false }
            return found.isReady && found.priority == priority
        }
    }
}

extension RateLimitedQueueStateMachine.Action: Equatable where Entry: Equatable {}
