/// Decides which entry of a queue starts next.
///
/// It knows the entries and the barriers between them. ``TaskQueuePermits`` decides which of those
/// that are ready may execute.
struct TaskQueueStateMachine<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slot = TaskQueueSlot<Entry>

    // What every entry changes stands first, and together: a thread that adds and one that starts
    // take its cache lines from each other for each entry.
    private(set) var slots: ContiguousArray<Slot> = []
    private var vacantSlots: [Int] = []
    private var nextSequence = 0
    /// The entries that stand in the queue, executing ones too.
    private(set) var count = 0
    /// How many entries were started since the queue was made.
    private(set) var startCount = 0
    private(set) var isSuspended = false
    private var barriers = TaskQueueBarriers()
    private(set) var permits: TaskQueuePermits<Entry>

    init(width: Int) {
        permits = TaskQueuePermits(width: width)
    }

    var width: Int { permits.width }

    /// How many entries could be started now.
    var startableCount: Int { isSuspended ? 0 : permits.startableCount }

    /// Whether entries wait for others to be through.
    var hasBarrier: Bool { barriers.hasBarrier }

    /// Whether permits may be too few, so that jobs have to say when they wait.
    var asksWhoWaits: Bool { width < Int.max || hasBarrier }

    // MARK: Entries

    /// Adds an entry, which starts when its turn has come.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - priority: How urgent it is.
    ///   - isReady: Whether it waits for nothing but its turn.
    ///   - isBarrier: Whether it starts alone.
    ///   - job: The job in the queue that waits for it, if one is known.
    /// - Returns: The slot, which stands for the entry until it has finished.
    mutating func entryAdded(
        _ entry: Entry,
        priority: TaskPriority = .normal,
        isReady: Bool = true,
        isBarrier: Bool = false,
        job: Int? = nil
    ) -> Int {
        let index = vacantSlots.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].entry = entry
        slots[index].sequence = nextSequence
        slots[index].priority = priority
        slots[index].state = .waiting
        slots[index].epoch = isBarrier ? barriers.barrierAdded() : barriers.entryAdded()
        nextSequence += 1
        count += 1
        if let job {
            permits.jobFound(ticket(job), waitingFor: index, slots)
            moveBeforeBarriers(index)
        }
        if isReady { entryBecameReady(index) }
        return index
    }

    mutating func entryBecameReady(_ slot: Int) {
        guard slots[slot].state == .waiting else { return }
        guard slots[slot].epoch == barriers.current else {
            slots[slot].state = .parked
            barriers.park(ticket(slot), epoch: slots[slot].epoch)
            return
        }
        permits.entryBecameReady(slot, &slots)
    }

    /// The entry turned out not to be ready when it was to be started.
    mutating func startRefused(_ slot: Int) {
        precondition(slots[slot].state == .executing, "refused or postponed, and not started")
        slots[slot].state = .waiting
        permits.giveBackPermit(of: slot, &slots)
    }

    /// The entry turned out to be less urgent when it was to be started: others may come before it.
    mutating func startPostponed(_ slot: Int, to priority: TaskPriority) {
        startRefused(slot)
        slots[slot].priority = priority
        permits.entryBecameReady(slot, &slots)
    }

    mutating func priorityChanged(_ slot: Int, to priority: TaskPriority) {
        guard slots[slot].priority != priority else { return }
        slots[slot].priority = priority
        permits.priorityChanged(slot, &slots)
    }

    /// Takes the slot of the entry to start next, if there is one; it is executing from now on.
    mutating func nextSlot() -> Int? {
        guard !isSuspended else { return nil }
        guard let slot = permits.nextSlot(slots) else { return nil }
        slots[slot].state = .executing
        startCount += 1
        return slot
    }

    /// The entry was cancelled; returns whether the caller must end it: it was not started, and no
    /// longer waits for anything.
    mutating func entryCancelled(_ slot: Int) -> Bool {
        let state = slots[slot].state
        guard state != .executing, state != .withdrawn, state != .vacant else { return false }
        slots[slot].state = .withdrawn
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
        slots[slot].state = .vacant
        permits.entryLeft(slot, from: state, &slots)
        slots[slot].entry = nil
        vacantSlots.append(slot)
        count -= 1
        if let released = barriers.entryFinished(epoch: epoch) {
            for ticket in released where isCurrent(ticket) {
                if slots[ticket.slot].state == .parked {
                    permits.entryBecameReady(ticket.slot, &slots)
                }
            }
        }
        return count == 0
    }

    // MARK: The queue

    mutating func widthChanged(to width: Int) {
        precondition(width > 0, "a width below 1")
        permits.widthChanged(to: width, &slots)
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
    }

    // MARK: Jobs that wait

    /// The job has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int) {
        if slots[slot].state == .executing { permits.jobWaits(slot, &slots) }
    }

    /// The job runs code of its own again, or ends.
    mutating func jobBusy(_ slot: Int) {
        permits.jobBusy(slot, &slots)
    }

    /// The jobs that wait for an entry became known after it was added.
    mutating func jobsFound(_ jobs: [Int], waitingFor slot: Int) {
        for job in jobs { permits.jobFound(ticket(job), waitingFor: slot, slots) }
        moveBeforeBarriers(slot)
        permits.jobsFound(waitingFor: slot, &slots)
    }

    /// The job that waits for an entry executes, and barriers wait for the job.
    private mutating func moveBeforeBarriers(_ slot: Int) {
        guard slots[slot].epoch > barriers.current else { return }
        barriers.entryMovedToCurrent(from: slots[slot].epoch)
        slots[slot].epoch = barriers.current
        if slots[slot].state == .parked { permits.entryBecameReady(slot, &slots) }
    }
}
