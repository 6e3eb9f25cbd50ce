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

    let limit: Int
    let interval: Duration
    /// The entries that wait, and those that were passed on and have not started, which execute
    /// here.
    private var entries = TaskQueueStateMachine<Entry>(concurrencyLimit: .max)
    /// The entry that was passed on last, if its start cannot be detected.
    private var hidden: TaskQueueTicket?
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
    private var room: Int { limit - entries.taken - times.count }

    // MARK: Entries

    func entry(_ ticket: TaskQueueTicket) -> Entry? { entries.entry(waitingAt: ticket) }

    mutating func entryAdded(_ entry: Entry, priority: OperationPriority) -> TaskQueueTicket {
        let slot = entries.entryAdded(entry, priority: priority, isReady: false)
        return entries.slots[slot].ticket
    }

    mutating func entryBecameReady(_ ticket: TaskQueueTicket) {
        if entries.slots.isCurrent(ticket) { entries.entryBecameReady(ticket.slot) }
    }

    mutating func priorityChanged(of ticket: TaskQueueTicket, to priority: OperationPriority) {
        if entries.slots.isCurrent(ticket) { entries.priorityChanged(ticket.slot, to: priority) }
    }

    mutating func entryEnded(_ ticket: TaskQueueTicket) {
        if ticket != hidden, entries.slots.isCurrent(ticket) {
            _ = entries.entryFinished(ticket.slot)
        }
    }

    /// Removes an entry that was passed on, because it has started or can no longer start.
    ///
    /// - Returns: False if it was removed before, or waits again.
    @discardableResult
    mutating func entryLeft(_ ticket: TaskQueueTicket) -> Bool {
        guard entries.slots.isCurrent(ticket), entries.slots[ticket.slot].state == .executing
        else { return false }
        _ = entries.entryFinished(ticket.slot)
        return true
    }

    /// Marks an entry whose start cannot be detected.
    ///
    /// It counts from the moment at which it has been passed on, even if it has already ended by
    /// then.
    mutating func startIsHidden(of ticket: TaskQueueTicket) { hidden = ticket }

    // MARK: Passing on

    /// Returns the next action, of which `nothing` is the last.
    mutating func nextAction(at reading: Reading) -> Action {
        let now = timePasses(to: reading)
        guard entries.startableCount > 0 else { return sleep(for: nil, at: now) }
        guard room > 0, let next = entries.nextStart() else {
            return sleep(for: times.first, at: now)
        }
        return .passOn(next.entry, next.ticket, next.priority)
    }

    /// Sleeps until the given time is one interval ago, or ends the sleep if it is nil.
    private mutating func sleep(for time: Duration?, at now: Duration) -> Action {
        guard time != timeSleptFor else { return .nothing }
        timeSleptFor = time
        return .sleep(time.map { interval - (now - $0) })
    }

    mutating func entryRefused(_ ticket: TaskQueueTicket) {
        entries.startRefused(ticket)
    }

    /// Records the start of an entry, which happened at this time at the latest.
    mutating func entryStarted(_ ticket: TaskQueueTicket, at reading: Reading) {
        guard entryLeft(ticket) else { return }
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
}

extension RateLimitedQueueStateMachine.Action: Equatable where Entry: Equatable {}
