/// Decides which entry that is ready may start: with a permit of the queue's, of which there are
/// ``width``, or with one that a job lends (J12).
///
/// A job that only waits for its tasks lends its permit to one of them at a time. A task requests
/// the permits of the nearest jobs of its queue that wait for it, and of those above them. While
/// there are permits for all that is ready, or none to be had, nothing is requested: the entries
/// that could request or lend are put on a list, the most urgent first. When there are too few, a
/// permit is lent the moment both sides are there: to a task that is ready, or to one that executes,
/// which leaves its own permit to another. The loan is taken back if the job gets to run again
/// before the task has started.
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
    /// By slot, as far as entries had to do with loans.
    private var states: ContiguousArray<LoanState> = []
    /// How many jobs could lend their permits now: while none can, none is looked for.
    private(set) var lenderCount = 0
    /// Above which jobs a search for a lender need not look.
    private(set) var searches = PermitSearches()
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
        if slots[slot].state == .granted, let lender = states[slot].lender {
            takeBack(slot, from: lender.slot, &slots)
            noteRequest(of: slot, slots)
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

    /// An entry that was in this state has left the queue.
    mutating func entryLeft(
        _ slot: Int,
        from state: TaskQueueSlot<Entry>.State,
        _ slots: inout Slots
    ) {
        if state == .ready || state == .granted { readyCount -= 1 }
        if state == .granted { loanLeft() }
        if state == .granted || state == .executing { giveBackPermit(of: slot, &slots) }
        if isKnown(slot) { change(slot) { $0.entryLeft() } }
    }

    /// Gives back the permit of an entry that executes no more; one that uses it keeps it.
    mutating func giveBackPermit(of slot: Int, _ slots: inout Slots) {
        jobBusy(slot, &slots)
        let (lender, borrower) = (lender(of: slot), borrower(of: slot))
        if lender == nil, borrower == nil {
            taken -= 1
            return
        }
        states[slot].lender = nil
        change(slot) { $0.borrower = nil }
        if let borrower { states[borrower.slot].lender = lender }
        if let lender {
            change(lender.slot) { $0.borrower = borrower }
            if borrower == nil { offerPermit(of: lender.slot, &slots) }
        } else if let borrower {
            // It has a permit of the queue's now, and may borrow from another job.
            postpone(borrower.slot, slots)
            lendWhileShort(&slots)
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
        learn(of: slot)
        guard !states[slot].isWaitingJob else { return }
        change(slot) { $0.isWaitingJob = true }
        if states[slot].canLend { offerPermit(of: slot, &slots) }
    }

    /// The job runs code of its own again, or ends.
    mutating func jobBusy(_ slot: Int, _ slots: inout Slots) {
        guard isKnown(slot), states[slot].isWaitingJob else { return }
        change(slot) { $0.isWaitingJob = false }
        guard let borrower = states[slot].borrower?.slot, slots[borrower].state == .granted else {
            return
        }
        takeBack(borrower, from: slot, &slots)
        seekPermit(for: borrower, &slots)
    }

    /// A job waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int, _ slots: Slots) {
        learn(of: max(slot, lender.slot))
        guard states[slot].lenders.insert(lender) else { return }
        searches.forget(states[slot].search)
        guard states[slot].hasRequestBelow else { return }
        states[lender.slot].isAsked { $0.jobsBelow.append(slots[slot].ticket(slot)) }
        noteRequest(below: lender.slot, slots)
    }

    /// All jobs were found that wait for an entry, after it had been added.
    mutating func jobsFound(waitingFor slot: Int, _ slots: inout Slots) {
        postpone(slot, slots)
        lendWhileShort(&slots)
    }

    // MARK: Permits enough, or too few

    /// An entry has become ready, and requests a permit as soon as there are too few and one is to
    /// be had.
    private mutating func seekPermit(for slot: Int, _ slots: inout Slots) {
        // Anew, because its priority may have changed since it was postponed.
        if isKnown(slot) { states[slot].isPostponed = false }
        postpone(slot, slots)
        lendWhileShort(&slots)
    }

    /// Notes an entry that requests, or lends, later.
    private mutating func postpone(_ slot: Int, _ slots: Slots) {
        guard isKnown(slot), !states[slot].isPostponed else { return }
        guard states[slot].canLend || !states[slot].lenders.isEmpty else { return }
        states[slot].isPostponed = true
        postponed.insert(slots[slot].ticket(slot), priority: slots[slot].priority)
        if postponed.isCrowded { Self.removeVoid(fromPostponed: &postponed, slots, states) }
    }

    private static func removeVoid(
        fromPostponed postponed: inout ReadyLists,
        _ slots: Slots,
        _ states: ContiguousArray<LoanState>
    ) {
        postponed.removeVoid { ticket, _ in
            slots.stands(ticket) && states[ticket.slot].isPostponed
        }
    }

    /// Takes out the slot of the first of the postponed, if it may lend or be lent a permit now, or
    /// take over a loan of one that is less urgent.
    private mutating func nextPostponed(_ slots: Slots) -> Int? {
        while let (ticket, priority) = postponed.first {
            let slot = ticket.slot
            if slots.stands(ticket), states[slot].isPostponed {
                // Its priority may have changed, and those behind it be the more urgent ones.
                let isInOrder = slots[slot].priority == priority
                if lenderCount == 0, isInOrder, slots[slot].order >= lastGranted { return nil }
                _ = postponed.popFirst()
                states[slot].isPostponed = false
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
            while let lender = firstLender(of: slot, slots), lendPermit(of: lender, &slots) {}
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
        guard isKnown(job), states[job].canLend, let borrower = popRequest(below: job, slots) else {
            return false
        }
        grant(borrower, from: job, &slots)
        return true
    }

    /// Requests a permit for an entry that is ready, or that executes with one of the queue's.
    private mutating func requestPermit(for slot: Int, _ slots: inout Slots) {
        guard isKnown(slot), states[slot].lender == nil, !states[slot].lenders.isEmpty else {
            return
        }
        noteRequest(of: slot, slots)
        // To the first that requests it, which may have been noted before.
        if let lender = firstLender(of: slot, slots) { lendPermit(of: lender, &slots) }
        guard slots[slot].state == .ready else { return }
        // Not of jobs further up: an entry ten thousand jobs deep would look at them all.
        for lender in states[slot].lenders where slots.stands(lender) {
            guard let borrower = states[lender.slot].borrower?.slot,
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
        states[borrower].lender = slots[lender].ticket(lender)
        change(lender) { $0.borrower = slots[borrower].ticket(borrower) }
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
        change(lender) { $0.borrower = nil }
        states[borrower].lender = nil
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

    /// The nearest job above an entry that could lend its permit.
    private mutating func firstLender(of slot: Int, _ slots: Slots) -> Int? {
        guard lenderCount > 0, isKnown(slot) else { return nil }
        // A chain of jobs, as a rule: none is met twice.
        var (entry, passed) = (slot, 0)
        while states[entry].lenders.count == 1, slots.stands(states[entry].lenders[0]) {
            let lender = states[entry].lenders[0].slot
            if states[lender].canLend { return lender }
            if let distance = searches.distance(of: states[lender].search) {
                searchEnded(above: slot, past: passed, at: distance)
                return nil
            }
            (entry, passed) = (lender, passed + 1)
        }
        guard states[entry].lenders.count > 1 else {
            searchEnded(above: slot, past: passed, at: 0)
            return nil
        }
        var (jobs, next, seen) = ([entry], 0, Set<Int>())
        while next < jobs.count {
            for lender in states[jobs[next]].lenders where slots.stands(lender) {
                if states[lender.slot].canLend { return lender.slot }
                if seen.insert(lender.slot).inserted { jobs.append(lender.slot) }
            }
            next += 1
        }
        return nil
    }

    /// None of so many jobs above an entry can lend, up to one so far from the end of a search.
    private mutating func searchEnded(above slot: Int, past count: Int, at distance: Int) {
        var job = slot
        for passed in 0..<count {
            job = states[job].lenders[0].slot
            let mark = searches.mark(at: distance + count - passed)
            states[job].isAsked { $0.search = mark }
        }
    }

    // MARK: Requests

    /// Notes at an entry's lenders that it requests a permit.
    private mutating func noteRequest(of slot: Int, _ slots: Slots) {
        let (ticket, priority) = (slots[slot].ticket(slot), slots[slot].priority)
        for lender in states[slot].lenders where slots.stands(lender) {
            let isCrowded = states[lender.slot]
                .isAsked { asked in
                    asked.requests.insert(ticket, priority: priority)
                    return asked.requests.isCrowded
                }
            if isCrowded { removeVoidRequests(of: lender.slot, slots) }
            noteRequest(below: lender.slot, slots)
        }
    }

    private mutating func removeVoidRequests(of job: Int, _ slots: Slots) {
        // Moved out, because what holds is asked of the states; of them alone, because a closure
        // that asks the permits copies them for each request.
        var requests = states[job].isAsked { exchange(&$0.requests, with: ReadyLists()) }
        Self.removeVoid(from: &requests, slots, states)
        states[job].isAsked { $0.requests = requests }
    }

    /// A task of this job requests a permit; the jobs above may have to look here.
    private mutating func noteRequest(below slot: Int, _ slots: Slots) {
        guard !states[slot].hasRequestBelow else { return }
        var pending = [slot]
        while let job = pending.popLast() {
            guard !states[job].hasRequestBelow else { continue }
            states[job].hasRequestBelow = true
            for lender in states[job].lenders where slots.stands(lender) {
                states[lender.slot].isAsked { $0.jobsBelow.append(slots[job].ticket(job)) }
                pending.append(lender.slot)
            }
        }
    }

    private static func removeVoid(
        from requests: inout ReadyLists,
        _ slots: Slots,
        _ states: ContiguousArray<LoanState>
    ) {
        requests.removeVoid { holds($0, $1, slots, states) }
    }

    /// Whether a request holds: the entry is ready, or executes with a permit of the queue's.
    private static func holds(
        _ ticket: Ticket,
        _ priority: TaskPriority,
        _ slots: Slots,
        _ states: ContiguousArray<LoanState>
    ) -> Bool {
        guard slots[ticket.slot].state == .executing else {
            return slots[ticket.slot].stands(for: ticket, priority, in: .ready)
        }
        return slots[ticket.slot].sequence == ticket.sequence && states[ticket.slot].lender == nil
    }

    /// Takes out the first request of a job's own tasks, then of those further down, the jobs in
    /// the order in which their tasks first requested something.
    ///
    /// A job hears of a job below it once, however much is requested there, and forgets it when it
    /// has looked there and found nothing. So a look costs no more than the requests that were made
    /// since the last one, even where ten thousand jobs are nested.
    private mutating func popRequest(below top: Int, _ slots: Slots) -> Int? {
        var (job, above) = (top, [Int]())
        while true {
            while let (ticket, priority) = states[job].nextRequest() {
                if Self.holds(ticket, priority, slots, states) { return ticket.slot }
            }
            if let below = states[job].firstBelow, slots.stands(below) {
                above.append(job)
                job = below.slot
            } else if states[job].forgetFirstBelow() == nil {
                guard let last = above.popLast() else { return nil }
                states[job].hasRequestBelow = false
                _ = states[last].forgetFirstBelow()
                job = last
            }
        }
    }

    // MARK: What is known of an entry

    func lender(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].lender : nil }

    func borrower(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].borrower : nil }

    func state(of slot: Int) -> LoanState { isKnown(slot) ? states[slot] : LoanState() }

    /// The entries that execute with one permit of the queue's, given the one that has it: a job, as
    /// a rule, and those to which it went on loan; none if this one borrows.
    func executing(withPermitOf slot: Int, _ slots: Slots) -> [TaskQueueSlot<Entry>] {
        guard lender(of: slot) == nil else { return [] }
        var found: [TaskQueueSlot<Entry>] = []
        var next: Int? = slot
        while let entry = next, slots[entry].state == .executing {
            found.append(slots[entry])
            next = borrower(of: entry)?.slot
        }
        return found
    }

    private func isKnown(_ slot: Int) -> Bool { slot < states.count }

    private mutating func learn(of slot: Int) {
        while states.count <= slot { states.append(LoanState()) }
    }

    /// Makes a change that may have a job begin or cease to be able to lend.
    @inline(__always)
    private mutating func change(_ slot: Int, _ change: (inout LoanState) -> Void) {
        let couldLend = states[slot].canLend
        change(&states[slot])
        let canLend = states[slot].canLend
        guard couldLend != canLend else { return }
        lenderCount += canLend ? 1 : -1
        if canLend { searches.forget(states[slot].search) }
    }
}
