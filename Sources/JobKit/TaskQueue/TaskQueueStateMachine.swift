/// Decides which entry of a queue starts next.
///
/// It manages the entries and the barriers between them. ``TaskQueuePermits`` decides which of the
/// ready entries may execute.
struct TaskQueueStateMachine<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slot = TaskQueueSlot<Entry>

    // Fields that change with every entry come first and together, because a thread that adds
    // entries and one that starts them take these cache lines from each other for each entry.
    private(set) var slots = TaskQueueSlots<Entry>()
    /// The number of entries in the queue, including executing ones.
    private(set) var count = 0
    /// How many entries were started since the queue was created.
    private(set) var startCount = 0
    private(set) var isSuspended = false
    private var barriers = TaskQueueBarriers()
    private(set) var permits: TaskQueuePermits<Entry>

    init(concurrencyLimit: Int) {
        permits = TaskQueuePermits(concurrencyLimit: concurrencyLimit)
    }

    var concurrencyLimit: Int { permits.concurrencyLimit }

    /// How many entries could be started now.
    var startableCount: Int { isSuspended ? 0 : permits.startableCount }

    /// Whether entries wait at a barrier.
    var hasBarrier: Bool { barriers.hasBarrier }

    /// Whether permits may be too few, so jobs must report when they wait.
    var needsLending: Bool { concurrencyLimit < Int.max || hasBarrier }

    // MARK: Entries

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - priority: Its priority.
    ///   - isReady: Whether it waits only for its turn.
    ///   - isBarrier: Whether it runs alone.
    ///   - job: The job in the queue that waits for it, if one is known.
    /// - Returns: The slot, which identifies the entry until it has finished.
    mutating func entryAdded(
        _ entry: Entry,
        priority: OperationPriority = .normal,
        isReady: Bool = true,
        isBarrier: Bool = false,
        job: Int? = nil
    ) -> Int {
        let epoch = isBarrier ? barriers.barrierAdded() : barriers.entryAdded()
        let slot = slots.add(entry, priority: priority, epoch: epoch)
        count += 1
        if let job {
            permits.jobFound(ticket(job), waitingFor: slot, slots)
            moveBeforeBarriers(slot)
        }
        if isReady { entryBecameReady(slot) }
        return slot
    }

    mutating func entryBecameReady(_ slot: Int) {
        guard slots[slot].state == .waiting else { return }
        guard slots[slot].epoch == barriers.current else {
            slots.mark(slot, .blocked)
            barriers.block(ticket(slot), epoch: slots[slot].epoch)
            return
        }
        permits.entryBecameReady(slot, &slots)
    }

    /// Makes an entry wait again, because it was not ready at its start.
    mutating func startRefused(_ slot: Int) {
        precondition(slots[slot].state == .executing, "refused or postponed, and not started")
        slots.mark(slot, .waiting)
        permits.giveBackPermit(of: slot, &slots)
    }

    /// Makes an entry ready again with a lower priority, because others may come before it now.
    mutating func startPostponed(_ slot: Int, to priority: OperationPriority) {
        startRefused(slot)
        slots.setPriority(slot, priority)
        permits.entryBecameReady(slot, &slots)
    }

    mutating func priorityChanged(_ slot: Int, to priority: OperationPriority) {
        guard slots[slot].priority != priority else { return }
        slots.setPriority(slot, priority)
        permits.priorityChanged(slot, &slots)
    }

    /// Takes the slot of the entry to start next, if there is one, and marks it as executing.
    mutating func nextSlot() -> Int? {
        guard !isSuspended else { return nil }
        guard let slot = permits.nextSlot(slots) else { return nil }
        slots.mark(slot, .executing)
        startCount += 1
        return slot
    }

    /// Withdraws a cancelled entry.
    ///
    /// - Returns: Whether the caller must end the entry, because it was not started and no longer
    ///   waits for anything.
    mutating func entryCancelled(_ slot: Int) -> Bool {
        let state = slots[slot].state
        guard state != .executing, state != .withdrawn, state != .vacant else { return false }
        slots.mark(slot, .withdrawn)
        permits.entryLeft(slot, from: state, &slots)
        return true
    }

    /// The entry that ``nextSlot()`` would take.
    mutating func upcomingEntry() -> Entry? {
        isSuspended ? nil : permits.upcomingSlot(slots).flatMap { slots[$0].entry }
    }

    /// Returns whether no entry is left.
    mutating func entryFinished(_ slot: Int) -> Bool {
        let (state, epoch) = (slots[slot].state, slots[slot].epoch)
        precondition(state != .vacant, "entryFinished(_:) of a vacant slot")
        slots.mark(slot, .vacant)
        permits.entryLeft(slot, from: state, &slots)
        slots.reuse(slot)
        count -= 1
        if let released = barriers.entryFinished(epoch: epoch) {
            for ticket in released where isCurrent(ticket) {
                if slots[ticket.slot].state == .blocked {
                    permits.entryBecameReady(ticket.slot, &slots)
                }
            }
        }
        return count == 0
    }

    // MARK: The queue

    mutating func limitChanged(to concurrencyLimit: Int) {
        precondition(concurrencyLimit > 0, "a limit below 1")
        permits.limitChanged(to: concurrencyLimit, &slots)
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
    }

    // MARK: Waiting jobs

    /// Marks a job as waiting: it has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int) {
        if slots[slot].state == .executing { permits.jobWaits(slot, &slots) }
    }

    /// Marks a job as busy, because it runs its own code again or ends.
    mutating func jobBusy(_ slot: Int) {
        permits.jobBusy(slot, &slots)
    }

    /// Adds the jobs that wait for an entry, which became known after the entry was added.
    mutating func jobsFound(_ jobs: [Int], waitingFor slot: Int) {
        for job in jobs { permits.jobFound(ticket(job), waitingFor: slot, slots) }
        moveBeforeBarriers(slot)
        permits.requestsAdded(of: slot, &slots)
    }

    /// Moves an entry before all barriers, which wait for an executing job that waits for the
    /// entry.
    private mutating func moveBeforeBarriers(_ slot: Int) {
        guard slots[slot].epoch > barriers.current else { return }
        barriers.entryMovedToCurrent(from: slots[slot].epoch)
        slots.setEpoch(slot, barriers.current)
        if slots[slot].state == .blocked { permits.entryBecameReady(slot, &slots) }
    }
}
