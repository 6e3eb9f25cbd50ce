/// Decides which entry that is ready may start: with a permit of the queue's, of which there are
/// ``width``, or with one that a job lends (J12).
///
/// A job that only waits for its tasks lends its permit to one of them at a time. A task requests
/// the permits of the nearest jobs of its queue that wait for it, and of those above them. While
/// there are permits for all that is ready, or none to be had, nothing is requested: the entries
/// that could request or lend are put on a list, the most urgent first. When there are too few, a
/// permit is lent the moment both sides are there: to a task that is ready, or to one that
/// executes, which leaves its own permit to another. The loan is taken back if the job gets to run
/// again before the task has started.
///
/// The states of entries change here between `ready`, `granted` and `executing`; the machine sees
/// to the others. A queue that never had to lend has no ``LoanState``.
struct TaskQueuePermits<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slots = ContiguousArray<TaskQueueSlot<Entry>>

    // What every entry changes stands first.
    /// How many permits of the queue's are in use.
    private(set) var taken = 0
    /// How many entries are ready, those included that were granted a loan.
    private var readyCount = 0
    private var ready = StateTickets<Entry>(of: .ready)
    private(set) var width: Int

    private var granted = StateTickets<Entry>(of: .granted)
    /// How many entries of ``granted`` still hold.
    private(set) var grantedCount = 0
    private(set) var loans = PermitLoans<Entry>()
    /// The entries that request or lend later; void where one has left, or does so now.
    private var postponed = ReadyLists()
    /// The place in the order of the last entry that was granted a loan, since none was.
    private var lastGranted = TaskQueueOrder.beforeAll

    init(width: Int) {
        self.width = width
    }

    /// How many entries could be started now.
    var startableCount: Int { grantedCount + min(readyCount - grantedCount, free) }

    private var free: Int { max(0, width - taken) }
    /// Whether there are more entries to start than permits: only then is one lent.
    private var isShort: Bool { readyCount - grantedCount > free }

    // MARK: Entries

    mutating func entryBecameReady(_ slot: Int, _ slots: inout Slots) {
        slots[slot].state = .ready
        readyCount += 1
        ready.insert(slot, slots)
        seekPermit(for: slot, &slots)
    }

    /// The priority of an entry has changed.
    mutating func priorityChanged(_ slot: Int, _ slots: inout Slots) {
        if slots[slot].state == .granted, let lender = loans.lender(of: slot) {
            takeBack(slot, from: lender.slot, &slots)
            loans.noteRequest(of: slot, slots)
            offerPermit(of: lender.slot, &slots)
            // The permit may have gone to another; there may be other jobs to borrow from.
            if slots[slot].state == .ready { seekPermit(for: slot, &slots) }
        } else if slots[slot].state == .ready {
            ready.insert(slot, slots)
            ready.removeVoid(slots)
            seekPermit(for: slot, &slots)
        }
    }

    /// Takes the slot of the entry to start next, if there is one.
    mutating func nextSlot(_ slots: Slots) -> Int? {
        if grantedCount > 0, let slot = granted.popFirst(slots) {
            loanLeft()
            readyCount -= 1
            return slot
        }
        guard readyCount > grantedCount, taken < width, let slot = ready.popFirst(slots) else {
            return nil
        }
        readyCount -= 1
        taken += 1
        return slot
    }

    /// The slot that ``nextSlot(_:)`` would take.
    mutating func upcomingSlot(_ slots: Slots) -> Int? {
        if grantedCount > 0, let slot = granted.first(slots) { return slot }
        return readyCount > grantedCount && taken < width ? ready.first(slots) : nil
    }

    /// An entry that was in this state has left the queue.
    mutating func entryLeft(
        _ slot: Int,
        from state: TaskQueueSlot<Entry>.State,
        _ slots: inout Slots
    ) {
        if state == .ready || state == .granted {
            readyCount -= 1
            ready.removeVoid(slots)
        }
        if state == .granted { loanLeft() }
        if state == .granted || state == .executing { giveBackPermit(of: slot, &slots) }
        loans.entryLeft(slot)
    }

    /// Gives back the permit of an entry that executes no more; one that uses it keeps it.
    mutating func giveBackPermit(of slot: Int, _ slots: inout Slots) {
        jobBusy(slot, &slots)
        let (lender, borrower) = loans.handOver(of: slot)
        if let borrower {
            // It has a permit of the queue's now, and may borrow from another job.
            if lender == nil { seekPermit(for: borrower.slot, &slots) }
        } else if let lender {
            offerPermit(of: lender.slot, &slots)
        } else {
            taken -= 1
        }
    }

    mutating func widthChanged(to width: Int, _ slots: inout Slots) {
        let wasUnlimited = self.width == Int.max
        self.width = width
        // While the width was unlimited no job said any more whether it waits.
        if wasUnlimited, width < Int.max { for slot in slots.indices { jobBusy(slot, &slots) } }
        lendWhileShort(&slots)
    }

    // MARK: Jobs

    /// The job, which executes, has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int, _ slots: inout Slots) {
        if loans.jobWaits(slot), loans.states[slot].canLend { offerPermit(of: slot, &slots) }
    }

    /// The job runs code of its own again, or ends.
    mutating func jobBusy(_ slot: Int, _ slots: inout Slots) {
        guard let borrower = loans.jobBusy(slot), slots[borrower].state == .granted else { return }
        takeBack(borrower, from: slot, &slots)
        seekPermit(for: borrower, &slots)
    }

    /// A job waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int, _ slots: Slots) {
        loans.jobFound(lender, waitingFor: slot, slots)
    }

    /// All jobs were found that wait for an entry, after it had been added.
    mutating func jobsFound(waitingFor slot: Int, _ slots: inout Slots) {
        seekPermit(for: slot, &slots)
    }

    // MARK: Permits enough, or too few

    /// The entry requests a permit, or lends its own, as soon as there are too few and one is to be
    /// had.
    private mutating func seekPermit(for slot: Int, _ slots: inout Slots) {
        // Anew, because its priority may have changed since it was postponed.
        if loans.isKnown(slot) { loans.setPostponed(slot, false) }
        postpone(slot, slots)
        lendWhileShort(&slots)
    }

    /// Notes an entry that requests, or lends, later.
    private mutating func postpone(_ slot: Int, _ slots: Slots) {
        guard loans.isKnown(slot), !loans.states[slot].isPostponed else { return }
        guard loans.states[slot].canLend || !loans.states[slot].lenders.isEmpty else { return }
        loans.setPostponed(slot, true)
        postponed.insert(slots[slot].ticket(slot), priority: slots[slot].priority)
        if postponed.isCrowded {
            postponed.removeVoid { [loans] ticket, _ in
                slots.stands(ticket) && loans.states[ticket.slot].isPostponed
            }
        }
    }

    /// Takes out the slot of the first of the postponed, if it may lend or be lent a permit now, or
    /// take over a loan of one that is less urgent.
    private mutating func nextPostponed(_ slots: Slots) -> Int? {
        while let (ticket, priority) = postponed.first {
            let slot = ticket.slot
            if slots.stands(ticket), loans.states[slot].isPostponed {
                // Its priority may have changed, and those behind it be the more urgent ones.
                let isInOrder = slots[slot].priority == priority
                if loans.lenderCount == 0, isInOrder, slots[slot].order >= lastGranted {
                    return nil
                }
                _ = postponed.popFirst()
                loans.setPostponed(slot, false)
                return slot
            }
            _ = postponed.popFirst()
        }
        return nil
    }

    /// Makes up for what needed no loan so far, or could have none.
    private mutating func lendWhileShort(_ slots: inout Slots) {
        while isShort, let slot = nextPostponed(slots) {
            lendPermit(of: slot, &slots)
            if slots[slot].state == .ready || slots[slot].state == .executing {
                requestPermit(for: slot, &slots)
            }
            // Its tasks may now borrow from a job above it, where they found nothing before.
            while let lender = loans.firstLender(of: slot, slots), lendPermit(of: lender, &slots) {}
        }
    }

    /// Lends the permit of a job, now or when there are too few.
    private mutating func offerPermit(of job: Int, _ slots: inout Slots) {
        lendWhileShort(&slots)
        if isShort { lendPermit(of: job, &slots) } else { postpone(job, slots) }
    }

    // MARK: Loans

    /// Lends the permit of a job, if it can lend; returns whether a task borrows it.
    @discardableResult
    private mutating func lendPermit(of job: Int, _ slots: inout Slots) -> Bool {
        guard loans.isKnown(job), loans.states[job].canLend,
            let borrower = loans.popRequest(below: job, slots)
        else { return false }
        grant(borrower, from: job, &slots)
        return true
    }

    /// Requests a permit for an entry that is ready, or that executes with one of the queue's.
    private mutating func requestPermit(for slot: Int, _ slots: inout Slots) {
        guard loans.isKnown(slot), loans.states[slot].lender == nil,
            !loans.states[slot].lenders.isEmpty
        else { return }
        loans.noteRequest(of: slot, slots)
        // To the first that requests it, which may have been noted before.
        if let lender = loans.firstLender(of: slot, slots) { lendPermit(of: lender, &slots) }
        guard slots[slot].state == .ready else { return }
        // Not of jobs further up: an entry ten thousand jobs deep would look at them all.
        for lender in loans.states[slot].lenders where slots.stands(lender) {
            guard let borrower = loans.states[lender.slot].borrower?.slot,
                slots[borrower].state == .granted, slots[slot].comesBefore(slots[borrower])
            else { continue }
            takeBack(borrower, from: lender.slot, &slots)
            grant(slot, from: lender.slot, &slots)
            return requestPermit(for: borrower, &slots)
        }
    }

    /// A ready entry may start with the permit of a job, and its ticket in the list of the ready is
    /// void; one that executes uses that permit from now on, and its own is free.
    private mutating func grant(_ borrower: Int, from lender: Int, _ slots: inout Slots) {
        loans.begin(from: lender, to: borrower, slots)
        guard slots[borrower].state == .ready else {
            taken -= 1
            return
        }
        slots[borrower].state = .granted
        grantedCount += 1
        lastGranted = max(lastGranted, slots[borrower].order)
        ready.removeVoid(slots)
        granted.insert(borrower, slots)
        granted.removeVoid(slots)
    }

    /// Takes back the loan of an entry that has not started, and is ready.
    private mutating func takeBack(_ borrower: Int, from lender: Int, _ slots: inout Slots) {
        loans.end(from: lender, to: borrower)
        slots[borrower].state = .ready
        loanLeft()
        ready.insert(borrower, slots)
    }

    /// An entry that was granted a loan has started, left, or given it back.
    @inline(__always)
    private mutating func loanLeft() {
        grantedCount -= 1
        if grantedCount == 0 { lastGranted = TaskQueueOrder.beforeAll }
    }

    // MARK: Looks

    /// The entries that execute with one permit of the queue's, given the one that has it: a job,
    /// as a rule, and those to which it went on loan; none if this one borrows.
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
