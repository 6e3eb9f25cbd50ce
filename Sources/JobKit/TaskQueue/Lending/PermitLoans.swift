/// Which jobs of a queue wait for which entries, which entry uses which job's permit, and which
/// entries request one (J12).
///
/// It finds a job that could lend its permit to an entry; ``TaskQueuePermits`` decides when it does.
struct PermitLoans<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slots = ContiguousArray<TaskQueueSlot<Entry>>

    /// By slot, as far as entries had to do with loans.
    private(set) var states: ContiguousArray<LoanState> = []
    /// How many jobs could lend their permits now: while none can, none is looked for.
    private(set) var lenderCount = 0

    // MARK: Entries

    func isKnown(_ slot: Int) -> Bool { slot < states.count }

    func lender(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].lender : nil }

    func borrower(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].borrower : nil }

    /// Notes whether the entry is among those that request or lend later.
    mutating func setPostponed(_ slot: Int, _ isPostponed: Bool) {
        states[slot].isPostponed = isPostponed
    }

    /// The entry has left the queue, and its permit has been given back.
    mutating func entryLeft(_ slot: Int) {
        if isKnown(slot) { change(slot) { $0.entryLeft() } }
    }

    // MARK: Jobs

    /// A job waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int, _ slots: Slots) {
        learn(of: max(slot, lender.slot))
        guard states[slot].lenders.insert(lender) else { return }
        guard states[slot].hasRequestBelow else { return }
        states[lender.slot].isAsked { $0.jobsBelow.append(slots[slot].ticket(slot)) }
        noteRequest(below: lender.slot, slots)
    }

    /// The job, which executes, waits for its tasks; returns whether that is news.
    @inline(__always)
    mutating func jobWaits(_ slot: Int) -> Bool {
        learn(of: slot)
        guard !states[slot].isWaitingJob else { return false }
        change(slot) { $0.isWaitingJob = true }
        return true
    }

    /// The job runs code of its own again, or ends; returns the entry that has its permit.
    @inline(__always)
    mutating func jobBusy(_ slot: Int) -> Int? {
        guard isKnown(slot), states[slot].isWaitingJob else { return nil }
        change(slot) { $0.isWaitingJob = false }
        return states[slot].borrower?.slot
    }

    // MARK: Loans

    /// The entry uses the job's permit, or may start with it.
    mutating func begin(from lender: Int, to borrower: Int, _ slots: Slots) {
        states[borrower].lender = slots[lender].ticket(lender)
        change(lender) { $0.borrower = slots[borrower].ticket(borrower) }
    }

    /// The job has its permit back.
    mutating func end(from lender: Int, to borrower: Int) {
        change(lender) { $0.borrower = nil }
        states[borrower].lender = nil
    }

    /// The entry is done with permits: the one that it uses goes to the entry that it was lent to.
    ///
    /// - Returns: The job that had lent the permit, nil if it is the queue's own; and the entry that
    ///   has it now, nil if it goes back.
    @inline(__always)
    mutating func handOver(of slot: Int) -> (lender: Ticket?, borrower: Ticket?) {
        let (lender, borrower) = (lender(of: slot), borrower(of: slot))
        if lender == nil, borrower == nil { return (nil, nil) }
        states[slot].lender = nil
        change(slot) { $0.borrower = nil }
        if let borrower { states[borrower.slot].lender = lender }
        if let lender { change(lender.slot) { $0.borrower = borrower } }
        return (lender, borrower)
    }

    private mutating func learn(of slot: Int) {
        while states.count <= slot { states.append(LoanState()) }
    }

    /// Makes a change that may have a job begin or cease to be able to lend.
    @inline(__always)
    private mutating func change(_ slot: Int, _ change: (inout LoanState) -> Void) {
        let couldLend = states[slot].canLend
        change(&states[slot])
        let canLend = states[slot].canLend
        if couldLend != canLend { lenderCount += canLend ? 1 : -1 }
    }

    // MARK: Lenders

    /// The nearest job above an entry that could lend its permit.
    func firstLender(of slot: Int, _ slots: Slots) -> Int? {
        guard lenderCount > 0, isKnown(slot) else { return nil }
        // Usually a chain of jobs, in which none is met twice.
        var entry = slot
        while states[entry].lenders.count == 1, slots.stands(states[entry].lenders[0]) {
            entry = states[entry].lenders[0].slot
            if states[entry].canLend { return entry }
        }
        guard states[entry].lenders.count > 1 else { return nil }
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

    // MARK: Requests

    /// Notes at an entry's lenders that it requests a permit.
    mutating func noteRequest(of slot: Int, _ slots: Slots) {
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
        // that asks self copies all of it for each request.
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
    mutating func popRequest(below top: Int, _ slots: Slots) -> Int? {
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
}
