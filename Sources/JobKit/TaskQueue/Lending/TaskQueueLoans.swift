/// Records which jobs wait for which entries, the loans between them, and the requests (J12).
///
/// It finds a job that can lend its permit, and the entry that borrows it.
/// ``TaskQueueStateMachine`` decides when a permit is lent. A queue that never had to lend has no
/// ``TaskQueueLoanState``.
struct TaskQueueLoans<Entry> {
    typealias Ticket = TaskQueueTicket

    /// The entries, which are stored here because a parameter would count references in each call.
    var slots = TaskQueueSlots<Entry>()
    /// Indexed by slot, up to the highest slot that was involved in lending.
    private(set) var states: ContiguousArray<TaskQueueLoanState> = []
    /// The jobs that can lend their permits and have requests.
    ///
    /// A ticket is stale if its job can no longer lend or has left.
    private var listed = ReadyLists()

    // MARK: Entries

    func isKnown(_ slot: Int) -> Bool { slot < states.count }

    func lender(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].lender : nil }

    func borrower(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].borrower : nil }

    /// Resets the state of an entry that has left the queue and returned its permit.
    mutating func entryLeft(_ slot: Int) {
        if isKnown(slot) { states[slot].entryLeft() }
    }

    // MARK: Jobs

    /// Adds a job that waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int) {
        allocateState(of: max(slot, lender.slot))
        guard !states[slot].lenders.contains(lender) else { return }
        states[slot].lenders.append(lender)
        // Written out, because a call would copy this struct, for 2 % of a step.
        let (ticket, priority) = (slots[slot].ticket, slots[slot].priority)
        if slots[slot].mayRequestPermit(ticket, priority), states[slot].lender == nil {
            addRequest(of: slot, to: lender)
        }
        guard states[slot].hasRequestBelow else { return }
        states[lender.slot].withLenderState { $0.jobsBelow.append(ticket) }
        requestAdded(below: lender.slot)
    }

    /// Marks an executing job as waiting for its tasks.
    mutating func jobWaits(_ slot: Int) {
        allocateState(of: slot)
        states[slot].isWaitingJob = true
        list(slot)
    }

    /// Marks a job as busy or ended, and returns the entry that borrows its permit.
    mutating func jobBusy(_ slot: Int) -> Int? {
        guard isKnown(slot), states[slot].isWaitingJob else { return nil }
        states[slot].isWaitingJob = false
        return states[slot].borrower?.slot
    }

    private mutating func allocateState(of slot: Int) {
        while states.count <= slot { states.append(TaskQueueLoanState()) }
    }

    // MARK: Loans

    /// Lends the job's permit to the entry, which uses it or may start with it.
    mutating func begin(from lender: Int, to borrower: Int) {
        states[borrower].lender = slots[lender].ticket
        states[lender].borrower = slots[borrower].ticket
    }

    /// Returns the permit to the job.
    mutating func end(from lender: Int, to borrower: Int) {
        (states[lender].borrower, states[borrower].lender) = (nil, nil)
        list(lender)
    }

    /// Releases an entry's permit, which an entry that has borrowed it keeps.
    ///
    /// - Returns: The job that had lent the permit (nil if the permit is the queue's own), and the
    ///   entry that has it now (nil if it is returned).
    mutating func handOver(of slot: Int) -> (lender: Ticket?, borrower: Ticket?) {
        let (lender, borrower) = (lender(of: slot), borrower(of: slot))
        if lender == nil, borrower == nil { return (nil, nil) }
        (states[slot].lender, states[slot].borrower) = (nil, nil)
        if let borrower { states[borrower.slot].lender = lender }
        if let lender {
            states[lender.slot].borrower = borrower
            list(lender.slot)
        }
        return (lender, borrower)
    }

    /// A loan that a less urgent entry has not used yet, from a job that waits for this entry, too.
    func lessUrgentLoan(than slot: Int) -> (lender: Int, borrower: Int)? {
        guard isKnown(slot), slots[slot].state == .ready else { return nil }
        for lender in states[slot].lenders where slots.isCurrent(lender) {
            guard let borrower = states[lender.slot].borrower?.slot,
                slots[borrower].state == .reserved, slots[slot].order < slots[borrower].order
            else { continue }
            return (lender.slot, borrower)
        }
        return nil
    }

    /// Takes a job that can lend, and the first request below it.
    mutating func nextLoan() -> (lender: Int, borrower: Int)? {
        while let (job, _) = listed.popFirst() {
            guard slots.isCurrent(job) else { continue }
            states[job.slot].isListed = false
            guard states[job.slot].canLend, let borrower = popRequest(below: job.slot)
            else { continue }
            return (job.slot, borrower)
        }
        return nil
    }

    /// Lists a job if it can lend and has requests.
    private mutating func list(_ slot: Int) {
        guard !states[slot].isListed, states[slot].canLend, states[slot].hasRequests else { return }
        states[slot].isListed = true
        listed.insert(slots[slot].ticket, priority: slots[slot].priority)
        guard listed.needsCompaction else { return }
        listed.removeStale { [slots, states] ticket, _ in
            slots.isCurrent(ticket) && states[ticket.slot].isListed
        }
    }

    // MARK: Requests

    /// Records at an entry's lenders that it requests a permit.
    mutating func addRequest(of slot: Int) {
        for lender in states[slot].lenders where slots.isCurrent(lender) {
            addRequest(of: slot, to: lender)
        }
    }

    private mutating func addRequest(of slot: Int, to lender: Ticket) {
        let (ticket, priority) = (slots[slot].ticket, slots[slot].priority)
        let needsCompaction = states[lender.slot]
            .withLenderState { lenderState in
                lenderState.requests.insert(ticket, priority: priority)
                return lenderState.requests.needsCompaction
            }
        if needsCompaction {
            states[lender.slot]
                .withLenderState { [slots] lenderState in
                    lenderState.requests.removeStale { slots[$0.slot].mayRequestPermit($0, $1) }
                }
        }
        requestAdded(below: lender.slot)
    }

    /// Lists a job that has a new request below it, and notifies the jobs above.
    private mutating func requestAdded(below slot: Int) {
        list(slot)
        guard !states[slot].hasRequestBelow else { return }
        var pending = [slot]
        while let job = pending.popLast() {
            guard !states[job].hasRequestBelow else { continue }
            states[job].hasRequestBelow = true
            let ticket = slots[job].ticket
            for lender in states[job].lenders where slots.isCurrent(lender) {
                states[lender.slot].withLenderState { $0.jobsBelow.append(ticket) }
                list(lender.slot)
                pending.append(lender.slot)
            }
        }
    }

    /// Takes the first request of a job's own tasks or, if there is none, of the tasks further
    /// down.
    ///
    /// Nested jobs are searched in the order in which their tasks first requested a permit.
    ///
    /// A job is notified of a nested job only once, regardless of the number of requests there, and
    /// forgets it when a search there finds nothing. Therefore, a search costs no more than the
    /// requests made since the last one, even if ten thousand jobs are nested.
    private mutating func popRequest(below top: Int) -> Int? {
        var (job, above) = (top, [Int]())
        while true {
            while let (ticket, priority) = states[job].withLenderState({ $0.requests.popFirst() }) {
                // Valid if the entry is ready, or executes with a permit of the queue's own.
                if slots[ticket.slot].mayRequestPermit(ticket, priority),
                    states[ticket.slot].lender == nil
                {
                    return ticket.slot
                }
            }
            let below = states[job].withLenderState { $0.jobsBelow.first }
            if let below, slots.isCurrent(below) {
                above.append(job)
                job = below.slot
            } else if states[job].withLenderState({ $0.jobsBelow.popFirst() }) == nil {
                guard let last = above.popLast() else { return nil }
                states[job].hasRequestBelow = false
                _ = states[last].withLenderState { $0.jobsBelow.popFirst() }
                job = last
            }
        }
    }
}
