/// Decides which entry of a queue starts next, with a permit of the queue or with a lent one (J12).
///
/// A job that only waits for its tasks lends its permit to one of them at a time. A task requests
/// the permits of the nearest jobs of its queue that wait for it, and of the jobs above them.
///
/// While permits are plentiful, none is lent. When permits are too few, one is lent as soon as
/// there are both a lender and a borrower. The borrower is a ready task, or an executing one, which
/// then leaves its own permit to another entry. If the job must run again before the borrower has
/// started, the loan is taken back. ``TaskQueueLoans`` finds the lenders and the borrowers.
struct TaskQueueStateMachine<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slot = TaskQueueSlot<Entry>

    /// An entry that must be started.
    struct StartAction {
        let entry: Entry
        let ticket: Ticket
        let priority: OperationPriority
    }

    // Fields that change with every entry come first and together, because a thread that adds
    // entries and one that starts them take these cache lines from each other for each entry.
    private(set) var loans = TaskQueueLoans<Entry>()
    /// The number of entries in the queue, including executing ones.
    private(set) var count = 0
    /// How many entries were started since the queue was created.
    private(set) var startCount = 0
    var isSuspended = false
    private var barriers = TaskQueueBarriers()
    /// How many of the queue's own permits are in use.
    private(set) var taken = 0
    /// How many entries are ready, including those for which a permit is reserved.
    private var readyCount = 0
    private(set) var concurrencyLimit: Int
    /// How many entries may start with the permits of jobs.
    private(set) var reservedCount = 0

    init(concurrencyLimit: Int) {
        self.concurrencyLimit = concurrencyLimit
    }

    private(set) var slots: TaskQueueSlots<Entry> {
        @inline(__always) _read { yield loans.slots }
        @inline(__always) _modify { yield &loans.slots }
    }

    /// How many entries could be started now.
    var startableCount: Int {
        isSuspended ? 0 : reservedCount + min(readyCount - reservedCount, free)
    }

    private var free: Int { max(0, concurrencyLimit - taken) }

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
            loans.jobFound(slots[job].ticket, waitingFor: slot)
            moveBeforeBarriers(slot)
        }
        if isReady { entryBecameReady(slot) }
        return slot
    }

    mutating func entryBecameReady(_ slot: Int) {
        guard slots[slot].state == .waiting else { return }
        guard slots[slot].epoch == barriers.current else {
            slots[slot].state = .blocked
            barriers.block(slots[slot].ticket, epoch: slots[slot].epoch)
            return
        }
        waitsForPermit(slot)
    }

    /// Makes an entry ready that is not behind a barrier.
    private mutating func waitsForPermit(_ slot: Int) {
        slots[slot].state = .ready
        readyCount += 1
        slots.list(slot)
        requestPermit(for: slot)
    }

    /// Makes an entry wait again, because it was not ready at its start.
    ///
    /// If its priority was lowered, it is ready instead, but others may come before it now.
    mutating func startRefused(_ ticket: Ticket, loweredTo priority: OperationPriority? = nil) {
        guard slots.isCurrent(ticket) else { return }
        let slot = ticket.slot
        precondition(slots[slot].state == .executing, "refused and not started")
        slots[slot].state = .waiting
        giveBackPermit(of: slot)
        guard let priority else { return }
        slots[slot].priority = priority
        waitsForPermit(slot)
    }

    mutating func priorityChanged(_ slot: Int, to priority: OperationPriority) {
        guard slots[slot].priority != priority else { return }
        slots[slot].priority = priority
        if slots[slot].state == .reserved, let lender = loans.lender(of: slot) {
            takeBack(slot, from: lender.slot)
        } else if slots[slot].state == .ready {
            slots.list(slot)
            slots.removeStale()
        } else {
            return
        }
        requestPermit(for: slot)
    }

    /// Takes the entry to start next, if there is one.
    mutating func nextStart() -> StartAction? {
        guard let slot = upcomingSlot(), let entry = slots[slot].entry else { return nil }
        readyCount -= 1
        if slots[slot].state == .reserved {
            reservedCount -= 1
        } else {
            taken += 1
        }
        slots[slot].state = .executing
        startCount += 1
        return StartAction(
            entry: entry,
            ticket: slots[slot].ticket,
            priority: slots[slot].priority
        )
    }

    /// The slot of the entry that ``nextStart()`` would take.
    mutating func upcomingSlot() -> Int? {
        guard !isSuspended else { return nil }
        var next: Int?
        if readyCount > reservedCount, taken < concurrencyLimit {
            next = slots.first(in: .ready)
        }
        guard reservedCount > 0, let borrower = slots.first(in: .reserved) else {
            return next
        }
        if let next, slots[next].order < slots[borrower].order { return next }
        return borrower
    }

    /// Withdraws a cancelled entry.
    ///
    /// - Returns: Whether the caller must end the entry, because it was not started and no longer
    ///   waits for anything.
    mutating func entryCancelled(_ slot: Int) -> Bool {
        guard slots[slot].isUnstarted else { return false }
        leave(slot, as: .withdrawn)
        return true
    }

    /// Returns whether no entry is left.
    mutating func entryFinished(_ slot: Int) -> Bool {
        precondition(slots[slot].state != .vacant, "entryFinished(_:) of a vacant slot")
        leave(slot, as: .vacant)
        slots.reuse(slot)
        count -= 1
        for ticket in barriers.entryFinished(epoch: slots[slot].epoch)
        where slots.isCurrent(ticket) && slots[ticket.slot].state == .blocked {
            waitsForPermit(ticket.slot)
        }
        return count == 0
    }

    /// Removes an entry from its lists, and returns its permit.
    private mutating func leave(_ slot: Int, as state: Slot.State) {
        let former = exchange(&slots[slot].state, with: state)
        if former == .ready || former == .reserved {
            readyCount -= 1
            slots.removeStale()
        }
        if former == .reserved { reservedCount -= 1 }
        if former == .reserved || former == .executing { giveBackPermit(of: slot) }
        loans.entryLeft(slot)
    }

    /// Returns the permit of an entry that no longer executes, unless another entry has borrowed
    /// it.
    private mutating func giveBackPermit(of slot: Int) {
        jobBusy(slot)
        switch loans.handOver(of: slot) {
        case (nil, nil): taken -= 1
        // It now has one of the queue's own permits, and may borrow from another job instead.
        case (nil, let borrower?): requestPermit(for: borrower.slot)
        case (_?, nil): lendWhileContended()
        case (_?, _?): break
        }
    }

    // MARK: The queue

    /// Changes the limit, and returns whether the queue was unlimited and no longer is.
    @discardableResult
    mutating func limitChanged(to concurrencyLimit: Int) -> Bool {
        precondition(concurrencyLimit > 0, "a limit below 1")
        let becameLimited = self.concurrencyLimit == Int.max && concurrencyLimit < Int.max
        self.concurrencyLimit = concurrencyLimit
        // While the queue was unlimited, jobs did not report whether they were waiting.
        if becameLimited {
            for slot in slots.indices { jobBusy(slot) }
        }
        lendWhileContended()
        return becameLimited
    }

    // MARK: Waiting jobs

    /// Marks a job as waiting: it has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int) {
        guard slots[slot].state == .executing else { return }
        loans.jobWaits(slot)
        lendWhileContended()
    }

    /// Marks a job as busy, because it runs its own code again or ends.
    ///
    /// Takes back a loan that has not started.
    mutating func jobBusy(_ slot: Int) {
        guard let borrower = loans.jobBusy(slot), slots[borrower].state == .reserved else { return }
        takeBack(borrower, from: slot)
        requestPermit(for: borrower)
    }

    /// Adds the jobs that wait for an entry, which became known after the entry was added.
    mutating func jobsFound(_ jobs: [Int], waitingFor slot: Int) {
        for job in jobs { loans.jobFound(slots[job].ticket, waitingFor: slot) }
        moveBeforeBarriers(slot)
        requestsAdded(of: slot)
    }

    /// Moves an entry before all barriers, which wait for an executing job that waits for the
    /// entry.
    private mutating func moveBeforeBarriers(_ slot: Int) {
        guard slots[slot].epoch > barriers.current else { return }
        barriers.entryMovedToCurrent(from: slots[slot].epoch)
        slots[slot].epoch = barriers.current
        if slots[slot].state == .blocked { waitsForPermit(slot) }
    }

    // MARK: Loans

    /// Requests a permit for an entry that is ready, or that executes with one of the queue's own.
    private mutating func requestPermit(for slot: Int) {
        if loans.isKnown(slot) { loans.addRequest(of: slot) }
        requestsAdded(of: slot)
    }

    /// Lends permits after an entry has requested one.
    private mutating func requestsAdded(of slot: Int) {
        guard let (lender, borrower) = loans.lessUrgentLoan(than: slot) else {
            return lendWhileContended()
        }
        takeBack(borrower, from: lender)
        lend(slot, from: lender)
        requestPermit(for: borrower)
    }

    /// Lends permits while more entries could start than there are free permits.
    private mutating func lendWhileContended() {
        while readyCount - reservedCount > free, let (lender, borrower) = loans.nextLoan() {
            lend(borrower, from: lender)
        }
    }

    /// Lends a job's permit to an entry.
    ///
    /// A ready entry may then start with it, and its ticket in the list of ready entries becomes
    /// stale. An executing entry uses it from now on, so its own permit becomes free.
    private mutating func lend(_ borrower: Int, from lender: Int) {
        loans.begin(from: lender, to: borrower)
        guard slots[borrower].state == .ready else {
            taken -= 1
            return
        }
        slots[borrower].state = .reserved
        reservedCount += 1
        slots.list(borrower)
        slots.removeStale()
    }

    /// Takes back the loan of an entry that has not started, so the entry is ready again.
    private mutating func takeBack(_ borrower: Int, from lender: Int) {
        loans.end(from: lender, to: borrower)
        slots[borrower].state = .ready
        reservedCount -= 1
        slots.list(borrower)
    }

    // MARK: Inspection

    /// Whether all permits of the queue are taken.
    var isFull: Bool { taken >= concurrencyLimit }

    /// The entry that has a ticket and was not started, or nil if there is none.
    func entry(waitingAt ticket: Ticket) -> Entry? {
        let slot = slots[ticket.slot]
        return slot.ticket == ticket && slot.isUnstarted ? slot.entry : nil
    }

    /// The entries in the queue that satisfy a condition, in the order added.
    func entries(where condition: (Slot) -> Bool = { _ in true }) -> [Entry] {
        slots.filter { $0.state != .vacant && condition($0) }.sorted { $0.ticket < $1.ticket }
            .compactMap(\.entry)
    }
}

extension TaskQueueStateMachine.StartAction: Sendable where Entry: Sendable {}
