/// Decides which entry of a queue starts next.
///
/// An entry that is executing holds a place, of which there are ``width``; or it was lent the place
/// of a job that only waits for it. ``TaskQueueLoans`` has the rules of lending.
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
    private(set) var placesTaken = 0
    /// How many entries are ready, those included that were granted a loan.
    private var readyCount = 0
    private var ready = StateTickets<Entry>(of: .ready)
    private var barriers = TaskQueueBarriers()

    private(set) var width: Int
    private(set) var isSuspended = false
    private(set) var loans = TaskQueueLoans<Entry>()
    private var granted = StateTickets<Entry>(of: .granted)
    /// How many entries of ``granted`` still hold.
    private(set) var grantedCount = 0

    init(width: Int) {
        self.width = width
    }

    /// How many entries could be started now.
    var startableCount: Int {
        isSuspended ? 0 : grantedCount + min(readyCount - grantedCount, freePlaces)
    }

    /// Whether entries wait for others to be through.
    var hasBarrier: Bool { barriers.hasBarrier }

    private var freePlaces: Int { max(0, width - placesTaken) }
    /// Whether there are more entries to start than places: only then is a place lent.
    private var isShort: Bool { readyCount - grantedCount > freePlaces }

    /// Whether somebody has to find out which jobs could lend their places.
    var asksForLenders: Bool { width < Int.max || barriers.hasBarrier }

    // MARK: Entries

    /// Adds an entry, which starts when its turn has come.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - priority: How urgent it is.
    ///   - isReady: Whether it waits for nothing but its turn.
    ///   - isBarrier: Whether it starts alone.
    ///   - lender: The job in the queue that waits for it, if one is known.
    /// - Returns: The slot, which stands for the entry until it has finished.
    mutating func entryAdded(
        _ entry: Entry,
        priority: TaskPriority = .normal,
        isReady: Bool = true,
        isBarrier: Bool = false,
        lender: Int? = nil
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
        if let lender {
            loans.lenderFound(ticket(lender), for: index, slots)
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
        makeReady(slot)
    }

    /// The entry turned out not to be ready when it was to be started.
    mutating func startRefused(_ slot: Int) {
        precondition(slots[slot].state == .executing, "startRefused(_:) of an entry not started")
        slots[slot].state = .waiting
        giveBackPlace(of: slot)
    }

    /// The entry turned out to be less urgent when it was to be started: others may come before it.
    mutating func startPostponed(_ slot: Int, to priority: TaskPriority) {
        precondition(
            slots[slot].state == .executing,
            "startPostponed(_:to:) of an entry not started"
        )
        slots[slot].state = .waiting
        giveBackPlace(of: slot)
        slots[slot].priority = priority
        makeReady(slot)
    }

    mutating func priorityChanged(_ slot: Int, to priority: TaskPriority) {
        guard slots[slot].priority != priority else { return }
        slots[slot].priority = priority
        if slots[slot].state == .granted { return reviewLoan(of: slot) }
        guard slots[slot].state == .ready else { return }
        ready.insert(slot, slots)
        ready.removeVoid(slots)
        seekPlace(for: slot)
    }

    /// Takes the slot of the entry to start next, if there is one; it is executing from now on.
    mutating func nextSlot() -> Int? {
        guard !isSuspended else { return nil }
        let slot = popGranted() ?? popReady()
        guard let slot else { return nil }
        slots[slot].state = .executing
        startCount += 1
        return slot
    }

    /// Returns whether no entry is left.
    mutating func entryFinished(_ slot: Int) -> Bool {
        let (state, epoch) = (slots[slot].state, slots[slot].epoch)
        precondition(state != .vacant, "entryFinished(_:) of a vacant slot")
        slots[slot].state = .vacant
        if state == .ready || state == .granted { readyCount -= 1 }
        if state == .granted { grantedCount -= 1 }
        if state == .granted || state == .executing { giveBackPlace(of: slot) }
        loans.entryLeft(slot)
        slots[slot].entry = nil
        vacantSlots.append(slot)
        count -= 1
        if let released = barriers.entryFinished(epoch: epoch) {
            for ticket in released where isCurrent(ticket) {
                if slots[ticket.slot].state == .parked { makeReady(ticket.slot) }
            }
        }
        return count == 0
    }

    // MARK: The queue

    mutating func widthChanged(to width: Int) {
        precondition(width > 0, "a width below 1")
        let wasUnlimited = self.width == Int.max
        self.width = width
        // While the width was unlimited no job said any more whether it waits.
        if wasUnlimited, width < Int.max { for slot in slots.indices { jobBusy(slot) } }
        lendWhileShort()
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
    }

    // MARK: Loans

    /// The job has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int) {
        guard slots[slot].state == .executing else { return }
        if loans.jobWaits(slot) { offerPlace(of: slot) }
    }

    /// The job runs code of its own again, or ends.
    mutating func jobBusy(_ slot: Int) {
        guard let borrower = loans.jobBusy(slot, slots) else { return }
        loanTakenBack(from: borrower.slot)
        seekPlace(for: borrower.slot)
    }

    /// The jobs that wait for an entry became known after it was added.
    mutating func lendersFound(_ lenders: [Int], for slot: Int) {
        for lender in lenders { loans.lenderFound(ticket(lender), for: slot, slots) }
        moveBeforeBarriers(slot)
        loans.postpone(slot)
        lendWhileShort()
    }

    /// The job that waits for an entry executes, and barriers wait for the job.
    private mutating func moveBeforeBarriers(_ slot: Int) {
        guard slots[slot].epoch > barriers.current else { return }
        barriers.entryMovedToCurrent(from: slots[slot].epoch)
        slots[slot].epoch = barriers.current
        if slots[slot].state == .parked { makeReady(slot) }
    }

    /// An entry has become ready, and asks for a loan as soon as there are too few places.
    private mutating func seekPlace(for slot: Int) {
        if isShort { lendWhileShort() }
        guard isShort else { return loans.postpone(slot) }
        if slots[slot].state == .ready { requestPlace(for: slot) }
    }

    /// Makes up for what needed no loan so far.
    private mutating func lendWhileShort() {
        while isShort, let slot = loans.popPostponed() {
            if loans.canLend(slot) { offerPlace(of: slot) }
            if slots[slot].state == .ready || slots[slot].state == .executing {
                requestPlace(for: slot)
            }
            while let borrower = loans.lendBelow(slot, slots) { loanGranted(to: borrower) }
        }
    }

    /// Asks for a loan for an entry that is ready, or that executes in a place of the queue's.
    private mutating func requestPlace(for slot: Int) {
        switch loans.entryAsks(slot, slots) {
        case .refused: break
        case .granted: loanGranted(to: ticket(slot))
        case .grantedInstead(let other):
            loanTakenBack(from: other.slot)
            loanGranted(to: ticket(slot))
            requestPlace(for: other.slot)
        }
    }

    /// The priority of an entry changed that was lent a place and has not started.
    private mutating func reviewLoan(of slot: Int) {
        guard let lender = loans.loanReviewed(of: slot) else { return }
        loanTakenBack(from: slot)
        loans.request(for: slot, slots)
        offerPlace(of: lender)
        // The place may have gone to another; there may be other jobs to borrow from.
        if slots[slot].state == .ready { seekPlace(for: slot) }
    }

    /// Lends the place of a job, now or when there are too few.
    private mutating func offerPlace(of job: Int) {
        guard isShort else { return loans.postpone(job) }
        if let borrower = loans.lendPlace(of: job, slots) { loanGranted(to: borrower) }
    }

    /// A ready entry may start in the place of a job, and its ticket in the list of the ready is
    /// void; one that executes moves there, and its own place is free.
    private mutating func loanGranted(to borrower: Ticket) {
        guard slots[borrower.slot].state == .ready else {
            placesTaken -= 1
            return
        }
        slots[borrower.slot].state = .granted
        grantedCount += 1
        ready.removeVoid(slots)
        granted.insert(borrower.slot, slots)
        granted.removeVoid(slots)
    }

    /// A granted entry lost its place again, before it was started; it is ready.
    private mutating func loanTakenBack(from slot: Int) {
        grantedCount -= 1
        slots[slot].state = .ready
        ready.insert(slot, slots)
    }

    // MARK: Places

    private mutating func makeReady(_ slot: Int) {
        slots[slot].state = .ready
        readyCount += 1
        ready.insert(slot, slots)
        seekPlace(for: slot)
    }

    private mutating func popGranted() -> Int? {
        guard grantedCount > 0, let slot = granted.popFirst(slots) else { return nil }
        grantedCount -= 1
        readyCount -= 1
        return slot
    }

    private mutating func popReady() -> Int? {
        guard readyCount > grantedCount, placesTaken < width, let slot = ready.popFirst(slots)
        else { return nil }
        readyCount -= 1
        placesTaken += 1
        return slot
    }

    /// Frees the place of an entry that executes no more; one that executes in it keeps it.
    private mutating func giveBackPlace(of slot: Int) {
        jobBusy(slot)
        let borrower = loans.borrower(of: slot)
        let place = loans.placeGivenBack(by: slot)
        if place.isFree { placesTaken -= 1 }
        if let lender = place.lender { offerPlace(of: lender) }
        guard let borrower, loans.lender(of: borrower.slot) == nil else { return }
        // It has a place of the queue's now, and may borrow from another job.
        loans.postpone(borrower.slot)
        lendWhileShort()
    }
}
