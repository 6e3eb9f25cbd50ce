/// Decides which entry of a queue starts next.
///
/// An entry that is executing holds a place, of which there are ``width``; or it was lent the place
/// of a job that only waits for it. ``TaskQueueStateMachine+Loans`` has the rules of lending.
struct TaskQueueStateMachine<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slot = TaskQueueSlot<Entry>

    // What every entry changes stands first, and together: a thread that adds and one that starts take
    // its cache lines from each other for each entry.
    var slots: ContiguousArray<Slot> = []
    private var vacantSlots: [Int] = []
    private var nextSequence = 0
    /// The entries that stand in the queue, executing ones too.
    private(set) var count = 0
    /// How many entries were started since the queue was made.
    private(set) var startCount = 0
    private(set) var placesTaken = 0
    private var readyCount = 0
    private var ready = ReadyLists()
    var epochs = TaskQueueEpochs()

    private(set) var width: Int
    private(set) var isSuspended = false
    var granted = ReadyLists()
    /// How many entries of ``granted`` still hold.
    var grantedCount = 0
    /// How many jobs could lend their places now: where none can, nobody need be asked.
    private(set) var lenderCount = 0
    /// What each job in the queue could lend its place to.
    var requests: [Int: ReadyLists] = [:]
    /// The jobs below each job in the queue that could lend to more than one entry.
    var askersBelow: [Int: FIFO<Ticket>] = [:]

    init(width: Int) {
        self.width = width
    }

    /// How many entries could be started now.
    var startableCount: Int {
        isSuspended ? 0 : grantedCount + min(readyCount, max(0, width - placesTaken))
    }

    /// How many tickets the lists hold, void ones too: not many more than there are entries.
    var heldTicketCount: Int {
        ready.count + granted.count + requests.values.reduce(0) { $0 + $1.count }
    }

    /// Whether somebody has to find out which jobs could lend their places.
    var asksForLenders: Bool { width < Int.max || epochs.hasBarrier }

    /// The entries that stand in the queue, in the order added.
    var entries: [Entry] {
        slots.filter { $0.state != .vacant }.sorted { $0.sequence < $1.sequence }
            .compactMap(\.entry)
    }

    /// The entries that wait, then those that are executing: where they are cancelled in this
    /// order, a place that becomes free finds nothing left to run.
    var entriesToCancel: [Entry] {
        let sorted = slots.filter { $0.state != .vacant }.sorted { $0.sequence < $1.sequence }
        return (sorted.filter { $0.state != .executing } + sorted.filter { $0.state == .executing })
            .compactMap(\.entry)
    }

    // MARK: Entries

    /// Returns the slot, which stands for the entry until it has finished.
    mutating func entryAdded(
        _ entry: Entry,
        priority: TaskPriority = .normal,
        isReady: Bool = true,
        isBarrier: Bool = false
    ) -> Int {
        let index = vacantSlots.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].entry = entry
        slots[index].sequence = nextSequence
        slots[index].priority = priority
        slots[index].state = .waiting
        slots[index].epoch = isBarrier ? epochs.barrierAdded() : epochs.entryAdded()
        nextSequence += 1
        count += 1
        if isReady { entryBecameReady(index) }
        return index
    }

    mutating func entryBecameReady(_ slot: Int) {
        guard slots[slot].state == .waiting else { return }
        guard slots[slot].epoch == epochs.current else {
            slots[slot].state = .parked
            epochs.park(ticket(slot), epoch: slots[slot].epoch)
            return
        }
        makeReady(slot)
    }

    /// The entry turned out not to be ready when it was to be started.
    mutating func startRefused(_ slot: Int) {
        precondition(slots[slot].state == .executing, "startRefused(_:) of an entry not started")
        giveBackPlace(of: slot)
        slots[slot].state = .waiting
    }

    mutating func priorityChanged(_ slot: Int, to priority: TaskPriority) {
        guard slots[slot].priority != priority else { return }
        slots[slot].priority = priority
        if slots[slot].state == .granted { return reviewLoan(to: slot) }
        guard slots[slot].state == .ready else { return }
        insertReady(slot)
        removeVoidTickets()
        requestPlace(for: slot)
    }

    /// Takes the entry to start next, if there is one; it is executing from now on.
    mutating func next() -> Entry? {
        guard !isSuspended else { return nil }
        let slot = popGranted() ?? popReady()
        guard let slot else { return nil }
        slots[slot].state = .executing
        startCount += 1
        return slots[slot].entry
    }

    /// Returns whether no entry is left.
    mutating func entryFinished(_ slot: Int) -> Bool {
        switch slots[slot].state {
        case .vacant: preconditionFailure("entryFinished(_:) of a vacant slot")
        case .ready: readyCount -= 1
        case .waiting, .parked: break
        case .granted, .executing:
            if slots[slot].state == .granted { grantedCount -= 1 }
            if slots[slot].isWaitingJob { jobBusy(slot) }
            giveBackPlace(of: slot)
        }
        let epoch = slots[slot].epoch
        if !requests.isEmpty {
            requests[slot] = nil
            askersBelow[slot] = nil
        }
        if slots[slot].knowsLoans {
            change(slot) { $0 = Slot() }
        } else {
            slots[slot].entry = nil
            slots[slot].state = .vacant
        }
        vacantSlots.append(slot)
        count -= 1
        if let released = epochs.entryFinished(epoch: epoch) {
            for ticket in released where isCurrent(ticket) {
                if slots[ticket.slot].state == .parked { makeReady(ticket.slot) }
            }
        }
        return count == 0
    }

    // MARK: The queue

    mutating func widthChanged(to width: Int) {
        precondition(width > 0, "a width below 1")
        self.width = width
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
    }

    // MARK: Places

    func ticket(_ slot: Int) -> Ticket {
        Ticket(sequence: slots[slot].sequence, slot: slot)
    }

    /// Whether the ticket's entry still stands in the queue.
    func isCurrent(_ ticket: Ticket) -> Bool {
        slots[ticket.slot].sequence == ticket.sequence && slots[ticket.slot].state != .vacant
    }

    /// Makes a change that may have a job begin or cease to be able to lend its place.
    mutating func change(_ slot: Int, _ change: (inout Slot) -> Void) {
        let couldLend = slots[slot].canLend
        change(&slots[slot])
        let canLend = slots[slot].canLend
        if couldLend != canLend { lenderCount += canLend ? 1 : -1 }
    }

    /// A ready entry got a place by a loan; its ticket in the list of the ready is void.
    mutating func readyEntryGranted() {
        readyCount -= 1
        removeVoidTickets()
    }

    /// A granted entry lost its place again, before it was started; it is ready.
    mutating func grantRevoked(_ slot: Int) {
        grantedCount -= 1
        readyCount += 1
        slots[slot].lender = nil
        slots[slot].state = .ready
        insertReady(slot)
    }

    mutating func makeReady(_ slot: Int) {
        slots[slot].state = .ready
        readyCount += 1
        insertReady(slot)
        requestPlace(for: slot)
    }

    private mutating func insertReady(_ slot: Int) {
        ready.insert(ticket(slot), priority: slots[slot].priority)
    }

    /// Keeps the list of the ready short where entries leave it without being popped.
    private mutating func removeVoidTickets() {
        guard ready.isCrowded else { return }
        let slots = slots
        ready.removeVoid { slots[$0.slot].stands(for: $0, $1, in: .ready) }
    }

    private mutating func popGranted() -> Int? {
        guard grantedCount > 0 else { return nil }
        while let (ticket, priority) = granted.popFirst() {
            guard slots[ticket.slot].stands(for: ticket, priority, in: .granted) else { continue }
            grantedCount -= 1
            return ticket.slot
        }
        return nil
    }

    private mutating func popReady() -> Int? {
        guard readyCount > 0, placesTaken < width else { return nil }
        while let (ticket, priority) = ready.popFirst() {
            guard slots[ticket.slot].stands(for: ticket, priority, in: .ready) else { continue }
            readyCount -= 1
            placesTaken += 1
            return ticket.slot
        }
        return nil
    }

    /// Frees the place of an entry that ends; one that executes in it keeps it.
    private mutating func giveBackPlace(of slot: Int) {
        let (lender, borrower) = (slots[slot].lender, slots[slot].borrower)
        if lender == nil, borrower == nil {
            placesTaken -= 1
            return
        }
        slots[slot].lender = nil
        change(slot) { $0.borrower = nil }
        if let borrower { slots[borrower.slot].lender = lender }
        guard let lender else { return }
        change(lender.slot) { $0.borrower = borrower }
        if borrower == nil { offerPlace(of: lender.slot) }
    }
}
