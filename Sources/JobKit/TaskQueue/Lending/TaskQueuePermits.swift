/// Decides which ready entry may start, with a permit of the queue or with a lent one (J12).
///
/// A job that only waits for its tasks lends its permit to one of them at a time. A task requests
/// the permits of the nearest jobs of its queue that wait for it, and of the jobs above them.
///
/// While permits are plentiful, none is lent. When permits are too few, one is lent as soon as
/// there are both a lender and a borrower. The borrower is a ready task, or an executing one, which
/// then leaves its own permit to another entry. If the job must run again before the borrower has
/// started, the loan is taken back.
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

    init(concurrencyLimit: Int) {
        self.concurrencyLimit = concurrencyLimit
    }

    /// How many entries could be started now.
    var startableCount: Int { reservedCount + min(readyCount - reservedCount, free) }

    private var free: Int { max(0, concurrencyLimit - taken) }

    // MARK: Entries

    mutating func entryBecameReady(_ slot: Int, _ slots: inout Slots) {
        slots.mark(slot, .ready)
        readyCount += 1
        ready.insert(slot, slots)
        requestPermit(for: slot, &slots)
    }

    /// Updates an entry after its priority has changed.
    mutating func priorityChanged(_ slot: Int, _ slots: inout Slots) {
        if slots[slot].state == .reserved, let lender = loans.lender(of: slot) {
            takeBack(slot, from: lender.slot, &slots)
            requestPermit(for: slot, &slots)
        } else if slots[slot].state == .ready {
            ready.insert(slot, slots)
            ready.removeStale(slots)
            requestPermit(for: slot, &slots)
        }
    }

    /// Takes the slot of the entry to start next, if there is one.
    mutating func nextSlot(_ slots: Slots) -> Int? {
        guard let slot = upcomingSlot(slots) else { return nil }
        readyCount -= 1
        if slots[slot].state == .reserved {
            reservedCount -= 1
        } else {
            taken += 1
        }
        return slot
    }

    /// The slot that ``nextSlot(_:)`` would take.
    mutating func upcomingSlot(_ slots: Slots) -> Int? {
        var next: Int?
        if readyCount > reservedCount, taken < concurrencyLimit { next = ready.first(slots) }
        guard reservedCount > 0, let borrower = reserved.first(slots) else { return next }
        if let next, slots[next].comesBefore(slots[borrower]) { return next }
        return borrower
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
        if state == .reserved { reservedCount -= 1 }
        if state == .reserved || state == .executing { giveBackPermit(of: slot, &slots) }
        loans.entryLeft(slot)
    }

    /// Returns the permit of an entry that no longer executes, unless another entry has borrowed
    /// it.
    mutating func giveBackPermit(of slot: Int, _ slots: inout Slots) {
        jobBusy(slot, &slots)
        switch loans.handOver(of: slot, slots) {
        case (nil, nil): taken -= 1
        // It now has one of the queue's own permits, and may borrow from another job instead.
        case (nil, let borrower?): requestPermit(for: borrower.slot, &slots)
        case (_?, nil): lendWhileContended(&slots)
        case (_?, _?): break
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
        loans.jobWaits(slot, slots)
        lendWhileContended(&slots)
    }

    /// Takes back a loan that has not started, because the job runs its own code again or ends.
    mutating func jobBusy(_ slot: Int, _ slots: inout Slots) {
        guard let borrower = loans.jobBusy(slot), slots[borrower].state == .reserved else { return }
        takeBack(borrower, from: slot, &slots)
        requestPermit(for: borrower, &slots)
    }

    /// Adds a job that waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int, _ slots: Slots) {
        loans.jobFound(lender, waitingFor: slot, slots)
    }

    // MARK: Loans

    /// Requests a permit for an entry that is ready, or that executes with one of the queue's own.
    private mutating func requestPermit(for slot: Int, _ slots: inout Slots) {
        if loans.isKnown(slot) { loans.addRequest(of: slot, slots) }
        requestsAdded(of: slot, &slots)
    }

    /// Lends permits after an entry has requested one.
    mutating func requestsAdded(of slot: Int, _ slots: inout Slots) {
        guard let (lender, borrower) = loans.lessUrgentLoan(than: slot, slots) else {
            return lendWhileContended(&slots)
        }
        takeBack(borrower, from: lender, &slots)
        lend(slot, from: lender, &slots)
        requestPermit(for: borrower, &slots)
    }

    /// Lends permits while more entries could start than there are free permits.
    private mutating func lendWhileContended(_ slots: inout Slots) {
        while readyCount - reservedCount > free, let (lender, borrower) = loans.nextLoan(slots) {
            lend(borrower, from: lender, &slots)
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
        slots.mark(borrower, .reserved)
        reservedCount += 1
        ready.removeStale(slots)
        reserved.insert(borrower, slots)
        reserved.removeStale(slots)
    }

    /// Takes back the loan of an entry that has not started, so the entry is ready again.
    private mutating func takeBack(_ borrower: Int, from lender: Int, _ slots: inout Slots) {
        loans.end(from: lender, to: borrower, slots)
        slots.mark(borrower, .ready)
        reservedCount -= 1
        ready.insert(borrower, slots)
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
