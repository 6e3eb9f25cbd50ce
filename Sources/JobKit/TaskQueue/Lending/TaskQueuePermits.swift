/// Decides which ready entry may start, with a permit of the queue or with a lent one (J12).
///
/// A job that only waits for its tasks lends its permit to one of them at a time. A task requests
/// the permits of the nearest jobs of its queue that wait for it, and of the jobs above them.
///
/// While permits are plentiful, or none can be lent, nothing is requested. The queue only keeps a
/// list of the entries that could request or lend, most urgent first. When permits are too few, one
/// is lent as soon as there are both a lender and a borrower. The borrower is a ready task, or an
/// executing one, which then leaves its own permit to another entry. If the job must run again
/// before the borrower has started, the loan is taken back.
///
/// This type changes entries between `ready`, `reserved` and `executing`. The machine handles the
/// other states. A queue that never had to lend has no ``TaskQueueLoanState``.
struct TaskQueuePermits<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slots = TaskQueueSlots<Entry>

    // Fields that change with every entry come first.
    /// How many of the queue's own permits are in use.
    private(set) var taken = 0
    /// How many entries are ready, including those for which a permit is reserved.
    private var readyCount = 0
    private var ready = TaskQueueTickets<Entry>(of: .ready)
    private(set) var concurrencyLimit: Int

    private var reserved = TaskQueueTickets<Entry>(of: .reserved)
    /// How many entries of ``reserved`` are still valid.
    private(set) var reservedCount = 0
    private(set) var loans = TaskQueueLoans<Entry>()
    /// The entries that request or lend later.
    ///
    /// A ticket is stale if its entry has left, or already requests or lends.
    private var deferred = ReadyLists()
    /// The least urgent position among the entries with a reservation, since there were none.
    private var lastReserved = TaskQueueOrder.beforeAll

    init(concurrencyLimit: Int) {
        self.concurrencyLimit = concurrencyLimit
    }

    /// How many entries could be started now.
    var startableCount: Int { reservedCount + min(readyCount - reservedCount, free) }

    private var free: Int { max(0, concurrencyLimit - taken) }
    /// Whether more entries could start than there are free permits, which is when permits are
    /// lent.
    private var isContended: Bool { readyCount - reservedCount > free }

    // MARK: Entries

    mutating func entryBecameReady(_ slot: Int, _ slots: inout Slots) {
        slots.markReady(slot)
        readyCount += 1
        ready.insert(slot, slots)
        requestWhenContended(for: slot, &slots)
    }

    /// Updates an entry after its priority has changed.
    mutating func priorityChanged(_ slot: Int, _ slots: inout Slots) {
        if slots[slot].state == .reserved, let lender = loans.lender(of: slot) {
            takeBack(slot, from: lender.slot, &slots)
            loans.addRequest(of: slot, slots)
            lendOrDefer(of: lender.slot, &slots)
            // The permit may have been lent to another entry, and other jobs may have one to lend.
            if slots[slot].state == .ready { requestWhenContended(for: slot, &slots) }
        } else if slots[slot].state == .ready {
            ready.insert(slot, slots)
            ready.removeStale(slots)
            requestWhenContended(for: slot, &slots)
        }
    }

    /// Takes the slot of the entry to start next, if there is one.
    mutating func nextSlot(_ slots: Slots) -> Int? {
        if reservedCount > 0, let slot = reserved.popFirst(slots) {
            reservationEnded()
            readyCount -= 1
            return slot
        }
        guard readyCount > reservedCount, taken < concurrencyLimit, let slot = ready.popFirst(slots)
        else {
            return nil
        }
        readyCount -= 1
        taken += 1
        return slot
    }

    /// The slot that ``nextSlot(_:)`` would take.
    mutating func upcomingSlot(_ slots: Slots) -> Int? {
        if reservedCount > 0, let slot = reserved.first(slots) { return slot }
        return readyCount > reservedCount && taken < concurrencyLimit ? ready.first(slots) : nil
    }

    /// An entry that was in this state has left the queue.
    mutating func entryLeft(
        _ slot: Int,
        from state: TaskQueueSlot<Entry>.State,
        _ slots: inout Slots
    ) {
        if state == .ready || state == .reserved {
            readyCount -= 1
            ready.removeStale(slots)
        }
        if state == .reserved { reservationEnded() }
        if state == .reserved || state == .executing { giveBackPermit(of: slot, &slots) }
        loans.entryLeft(slot)
    }

    /// Returns the permit of an entry that no longer executes, unless another entry has borrowed
    /// it.
    mutating func giveBackPermit(of slot: Int, _ slots: inout Slots) {
        jobBusy(slot, &slots)
        let (lender, borrower) = loans.handOver(of: slot)
        if let borrower {
            // The borrower now has one of the queue's own permits, and may borrow from another job
            // instead.
            if lender == nil { requestWhenContended(for: borrower.slot, &slots) }
        } else if let lender {
            lendOrDefer(of: lender.slot, &slots)
        } else {
            taken -= 1
        }
    }

    mutating func limitChanged(to concurrencyLimit: Int, _ slots: inout Slots) {
        let wasUnlimited = self.concurrencyLimit == Int.max
        self.concurrencyLimit = concurrencyLimit
        // While the queue was unlimited, jobs did not report whether they were waiting.
        if wasUnlimited, concurrencyLimit < Int.max {
            for slot in slots.indices { jobBusy(slot, &slots) }
        }
        lendWhileContended(&slots)
    }

    // MARK: Jobs

    /// Marks an executing job as waiting: it has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int, _ slots: inout Slots) {
        if loans.jobWaits(slot), loans.states[slot].canLend { lendOrDefer(of: slot, &slots) }
    }

    /// Takes back a loan that has not started, because the job runs its own code again or ends.
    mutating func jobBusy(_ slot: Int, _ slots: inout Slots) {
        guard let borrower = loans.jobBusy(slot), slots[borrower].state == .reserved else { return }
        takeBack(borrower, from: slot, &slots)
        requestWhenContended(for: borrower, &slots)
    }

    /// Adds a job that waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int, _ slots: Slots) {
        loans.jobFound(lender, waitingFor: slot, slots)
    }

    /// Requests a permit after all jobs that wait for an added entry were found.
    mutating func jobsFound(waitingFor slot: Int, _ slots: inout Slots) {
        requestWhenContended(for: slot, &slots)
    }

    // MARK: Plentiful or scarce permits

    /// Requests or lends a permit for an entry, once permits are scarce and one is available.
    private mutating func requestWhenContended(for slot: Int, _ slots: inout Slots) {
        // Postponed again, because its priority may have changed since the last time.
        if loans.isKnown(slot) { loans.setDeferred(slot, false) }
        deferEntry(slot, slots)
        lendWhileContended(&slots)
    }

    /// Adds an entry to the list of entries that request or lend later.
    private mutating func deferEntry(_ slot: Int, _ slots: Slots) {
        guard loans.isKnown(slot), !loans.states[slot].isDeferred else { return }
        guard loans.states[slot].canLend || !loans.states[slot].lenders.isEmpty else { return }
        loans.setDeferred(slot, true)
        deferred.insert(slots[slot].ticket(slot), priority: slots[slot].priority)
        if deferred.needsCompaction {
            deferred.removeStale { [loans] ticket, _ in
                slots.isCurrent(ticket) && loans.states[ticket.slot].isDeferred
            }
        }
    }

    /// Takes the slot of the first deferred entry that can be processed now.
    ///
    /// Such an entry may lend or borrow a permit, or take over the loan of a less urgent entry.
    private mutating func nextDeferred(_ slots: Slots) -> Int? {
        while let (ticket, priority) = deferred.first {
            let slot = ticket.slot
            if slots.isCurrent(ticket), loans.states[slot].isDeferred {
                // If its priority has changed, the entries behind it may be more urgent.
                let isInOrder = slots[slot].priority == priority
                if loans.lenderCount == 0, isInOrder, slots[slot].order >= lastReserved {
                    return nil
                }
                _ = deferred.popFirst()
                loans.setDeferred(slot, false)
                return slot
            }
            _ = deferred.popFirst()
        }
        return nil
    }

    /// Processes the deferred entries while permits are scarce.
    private mutating func lendWhileContended(_ slots: inout Slots) {
        while isContended, let slot = nextDeferred(slots) {
            lendPermit(of: slot, &slots)
            if slots[slot].state == .ready || slots[slot].state == .executing {
                requestPermit(for: slot, &slots)
            }
            // Its tasks may now borrow from a job above it, although an earlier search found
            // nothing.
            while let lender = loans.firstLender(of: slot, slots), lendPermit(of: lender, &slots) {}
        }
    }

    /// Lends the permit of a job, now or once permits are scarce.
    private mutating func lendOrDefer(of job: Int, _ slots: inout Slots) {
        lendWhileContended(&slots)
        if isContended { lendPermit(of: job, &slots) } else { deferEntry(job, slots) }
    }

    // MARK: Loans

    /// Lends the permit of a job, if it can lend, and returns whether a task borrows it.
    @discardableResult
    private mutating func lendPermit(of job: Int, _ slots: inout Slots) -> Bool {
        guard loans.isKnown(job), loans.states[job].canLend,
            let borrower = loans.popRequest(below: job, slots)
        else { return false }
        lend(borrower, from: job, &slots)
        return true
    }

    /// Requests a permit for an entry that is ready, or that executes with one of the queue's own.
    private mutating func requestPermit(for slot: Int, _ slots: inout Slots) {
        guard loans.isKnown(slot), loans.states[slot].lender == nil,
            !loans.states[slot].lenders.isEmpty
        else { return }
        loans.addRequest(of: slot, slots)
        // Lent to the first entry that requests it, which may have requested it earlier.
        if let lender = loans.firstLender(of: slot, slots) { lendPermit(of: lender, &slots) }
        guard slots[slot].state == .ready else { return }
        // Jobs further up are not searched, because an entry ten thousand jobs deep would search
        // them all.
        for lender in loans.states[slot].lenders where slots.isCurrent(lender) {
            guard let borrower = loans.states[lender.slot].borrower?.slot,
                slots[borrower].state == .reserved, slots[slot].comesBefore(slots[borrower])
            else { continue }
            takeBack(borrower, from: lender.slot, &slots)
            lend(slot, from: lender.slot, &slots)
            return requestPermit(for: borrower, &slots)
        }
    }

    /// Lends a job's permit to an entry.
    ///
    /// A ready entry may then start with it, and its ticket in the list of ready entries becomes
    /// stale. An executing entry uses it from now on, so its own permit becomes free.
    private mutating func lend(_ borrower: Int, from lender: Int, _ slots: inout Slots) {
        loans.begin(from: lender, to: borrower, slots)
        guard slots[borrower].state == .ready else {
            taken -= 1
            return
        }
        slots.markReserved(borrower)
        reservedCount += 1
        lastReserved = max(lastReserved, slots[borrower].order)
        ready.removeStale(slots)
        reserved.insert(borrower, slots)
        reserved.removeStale(slots)
    }

    /// Takes back the loan of an entry that has not started, so the entry is ready again.
    private mutating func takeBack(_ borrower: Int, from lender: Int, _ slots: inout Slots) {
        loans.end(from: lender, to: borrower)
        slots.markReady(borrower)
        reservationEnded()
        ready.insert(borrower, slots)
    }

    /// Counts an entry with a reservation that has started, left the queue or lost its loan.
    @inline(__always)
    private mutating func reservationEnded() {
        reservedCount -= 1
        if reservedCount == 0 { lastReserved = TaskQueueOrder.beforeAll }
    }

    // MARK: Inspection

    /// The entries that execute with the permit of one entry, if that permit is the queue's own.
    ///
    /// The first is the owner of the permit, usually a job. The others have borrowed the permit,
    /// each from the previous one. If the entry borrows its permit itself, there are none.
    func executing(withPermitOf slot: Int, _ slots: Slots) -> [TaskQueueSlot<Entry>] {
        guard loans.lender(of: slot) == nil else { return [] }
        var found: [TaskQueueSlot<Entry>] = []
        var next: Int? = slot
        while let entry = next, slots[entry].state == .executing {
            found.append(slots[entry])
            next = loans.borrower(of: entry)?.slot
        }
        return found
    }
}
