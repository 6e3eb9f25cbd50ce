/// Records which jobs wait for which entries, the loans between them, and the requests (J12).
///
/// It finds a job that could lend its permit to an entry. ``TaskQueuePermits`` decides when that
/// job lends it.
struct TaskQueueLoans<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slots = TaskQueueSlots<Entry>

    /// Indexed by slot, up to the highest slot that was involved in lending.
    private(set) var states: ContiguousArray<TaskQueueLoanState> = []
    /// How many jobs could lend their permits now, because no search is needed while none can.
    private(set) var lenderCount = 0

    // MARK: Entries

    func isKnown(_ slot: Int) -> Bool { slot < states.count }

    func lender(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].lender : nil }

    func borrower(of slot: Int) -> Ticket? { isKnown(slot) ? states[slot].borrower : nil }

    /// Sets whether the entry is on the list of entries that request or lend later.
    mutating func setDeferred(_ slot: Int, _ isDeferred: Bool) {
        states[slot].isDeferred = isDeferred
    }

    /// Resets the state of an entry that has left the queue and returned its permit.
    mutating func entryLeft(_ slot: Int) {
        if isKnown(slot) { change(slot) { $0.entryLeft() } }
    }

    // MARK: Jobs

    /// Adds a job that waits for an entry.
    mutating func jobFound(_ lender: Ticket, waitingFor slot: Int, _ slots: Slots) {
        allocateState(of: max(slot, lender.slot))
        guard states[slot].lenders.insert(lender) else { return }
        guard states[slot].hasRequestBelow else { return }
        states[lender.slot].withLenderState { $0.jobsBelow.append(slots[slot].ticket(slot)) }
        addRequest(below: lender.slot, slots)
    }

    /// Marks an executing job as waiting for its tasks, or returns false if it already was.
    @inline(__always)
    mutating func jobWaits(_ slot: Int) -> Bool {
        allocateState(of: slot)
        guard !states[slot].isWaitingJob else { return false }
        change(slot) { $0.isWaitingJob = true }
        return true
    }

    /// Marks a job as busy or ended, and returns the entry that borrows its permit.
    @inline(__always)
    mutating func jobBusy(_ slot: Int) -> Int? {
        guard isKnown(slot), states[slot].isWaitingJob else { return nil }
        change(slot) { $0.isWaitingJob = false }
        return states[slot].borrower?.slot
    }

    // MARK: Loans

    /// Lends the job's permit to the entry, which uses it or may start with it.
    mutating func begin(from lender: Int, to borrower: Int, _ slots: Slots) {
        states[borrower].lender = slots[lender].ticket(lender)
        change(lender) { $0.borrower = slots[borrower].ticket(borrower) }
    }

    /// Returns the permit to the job.
    mutating func end(from lender: Int, to borrower: Int) {
        change(lender) { $0.borrower = nil }
        states[borrower].lender = nil
    }

    /// Releases an entry's permit, which an entry that has borrowed it keeps.
    ///
    /// - Returns: The job that had lent the permit (nil if the permit is the queue's own), and the
    ///   entry that has it now (nil if it is returned).
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

    private mutating func allocateState(of slot: Int) {
        while states.count <= slot { states.append(TaskQueueLoanState()) }
    }

    /// Makes a change after which a job may be able, or no longer able, to lend.
    @inline(__always)
    private mutating func change(_ slot: Int, _ change: (inout TaskQueueLoanState) -> Void) {
        let couldLend = states[slot].canLend
        change(&states[slot])
        let canLend = states[slot].canLend
        if couldLend != canLend { lenderCount += canLend ? 1 : -1 }
    }

    // MARK: Lenders

    /// The nearest job above an entry that could lend its permit.
    func firstLender(of slot: Int, _ slots: Slots) -> Int? {
        guard lenderCount > 0, isKnown(slot) else { return nil }
        // Usually this is a chain of jobs, in which none occurs twice.
        var entry = slot
        while states[entry].lenders.count == 1, slots.isCurrent(states[entry].lenders[0]) {
            entry = states[entry].lenders[0].slot
            if states[entry].canLend { return entry }
        }
        guard states[entry].lenders.count > 1 else { return nil }
        var (jobs, next, seen) = ([entry], 0, Set<Int>())
        while next < jobs.count {
            for lender in states[jobs[next]].lenders where slots.isCurrent(lender) {
                if states[lender.slot].canLend { return lender.slot }
                if seen.insert(lender.slot).inserted { jobs.append(lender.slot) }
            }
            next += 1
        }
        return nil
    }

    // MARK: Requests

    /// Records at an entry's lenders that it requests a permit.
    mutating func addRequest(of slot: Int, _ slots: Slots) {
        let (ticket, priority) = (slots[slot].ticket(slot), slots[slot].priority)
        for lender in states[slot].lenders where slots.isCurrent(lender) {
            let needsCompaction = states[lender.slot]
                .withLenderState { lenderState in
                    lenderState.requests.insert(ticket, priority: priority)
                    return lenderState.requests.needsCompaction
                }
            if needsCompaction { removeStaleRequests(of: lender.slot, slots) }
            addRequest(below: lender.slot, slots)
        }
    }

    private mutating func removeStaleRequests(of job: Int, _ slots: Slots) {
        // Moved out, because the check reads `states`. The check captures only `states`, because a
        // closure that reads `self` would copy all of it for each request.
        var requests = states[job].withLenderState { exchange(&$0.requests, with: ReadyLists()) }
        Self.removeStale(from: &requests, slots, states)
        states[job].withLenderState { $0.requests = requests }
    }

    /// Notifies the jobs above that a task of this job requests a permit.
    private mutating func addRequest(below slot: Int, _ slots: Slots) {
        guard !states[slot].hasRequestBelow else { return }
        var pending = [slot]
        while let job = pending.popLast() {
            guard !states[job].hasRequestBelow else { continue }
            states[job].hasRequestBelow = true
            for lender in states[job].lenders where slots.isCurrent(lender) {
                states[lender.slot].withLenderState { $0.jobsBelow.append(slots[job].ticket(job)) }
                pending.append(lender.slot)
            }
        }
    }

    private static func removeStale(
        from requests: inout ReadyLists,
        _ slots: Slots,
        _ states: ContiguousArray<TaskQueueLoanState>
    ) {
        requests.removeStale { holds($0, $1, slots, states) }
    }

    /// Whether a request is valid: the entry is ready, or executes with a permit of the queue's
    /// own.
    private static func holds(
        _ ticket: Ticket,
        _ priority: OperationPriority,
        _ slots: Slots,
        _ states: ContiguousArray<TaskQueueLoanState>
    ) -> Bool {
        guard slots[ticket.slot].state == .executing else {
            return slots[ticket.slot].matches(ticket, priority, in: .ready)
        }
        return slots[ticket.slot].sequence == ticket.sequence && states[ticket.slot].lender == nil
    }

    /// Takes the first request of a job's own tasks or, if there is none, of the tasks further
    /// down.
    ///
    /// Nested jobs are searched in the order in which their tasks first requested a permit.
    ///
    /// A job is notified of a nested job only once, regardless of the number of requests there, and
    /// forgets it when a search there finds nothing. Therefore, a search costs no more than the
    /// requests made since the last one, even if ten thousand jobs are nested.
    mutating func popRequest(below top: Int, _ slots: Slots) -> Int? {
        var (job, above) = (top, [Int]())
        while true {
            while let (ticket, priority) = states[job].nextRequest() {
                if Self.holds(ticket, priority, slots, states) { return ticket.slot }
            }
            if let below = states[job].firstBelow, slots.isCurrent(below) {
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
