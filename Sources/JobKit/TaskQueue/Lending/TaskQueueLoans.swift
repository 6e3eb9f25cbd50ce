/// Lending: while a job only waits for its tasks, one of them may run in its place.
///
/// A task asks the nearest jobs of its queue that wait for it, and those above them. As long as
/// there are places for all that is ready, it takes one of them, and who would ask or lend is only
/// noted. When there are too few, a loan is granted the moment both sides are there: to a task that
/// is ready, or to one that executes, which moves and leaves its own place to another. It is taken
/// back if the job gets to run again before the task has started. A queue that never had to lend
/// has an empty value here.
///
/// What an entry is now, ready or executing, its priority and its age, the machine shows with each
/// input. It carries out the answers: who may start in whose place, and who may no longer.
struct TaskQueueLoans<Entry> {
    typealias Ticket = TaskQueueTicket
    typealias Slots = ContiguousArray<TaskQueueSlot<Entry>>

    private var parties = LoanParties()
    private var desks = LoanDesks()

    /// How many jobs could lend their places now.
    var lenderCount: Int { parties.lenderCount }

    /// How many jobs are asked for their places, or were.
    var askedCount: Int { desks.openCount }

    // MARK: What is known of an entry

    func lender(of slot: Int) -> Ticket? { parties.knows(slot) ? parties[slot].lender : nil }

    func borrower(of slot: Int) -> Ticket? { parties.knows(slot) ? parties[slot].borrower : nil }

    func isWaitingJob(_ slot: Int) -> Bool { parties.knows(slot) && parties[slot].isWaitingJob }

    func canLend(_ slot: Int) -> Bool { parties.knows(slot) && parties[slot].canLend }

    /// Whether a search need not look at this job, nor above it.
    func isKnownToBeInVain(above slot: Int) -> Bool {
        parties.knows(slot) && parties.distanceFromVainEnd(of: slot) != nil
    }

    /// All that is known of an entry.
    func party(_ slot: Int) -> LoanParty { parties.knows(slot) ? parties[slot] : LoanParty() }

    /// How many tickets lie at a job's desk, void ones too.
    func tickets(atDeskOf slot: Int) -> (requests: Int, jobsBelow: Int) {
        guard parties.knows(slot), parties[slot].desk >= 0 else { return (0, 0) }
        let desk = desks[Int(parties[slot].desk)]
        return (desk.requests.count, desk.jobsBelow.count)
    }

    // MARK: Jobs

    /// The job, which executes, has nothing to run until one of its tasks finishes.
    ///
    /// - Returns: Whether its place has to be offered now.
    mutating func jobWaits(_ slot: Int) -> Bool {
        parties.learn(of: slot)
        guard !parties[slot].isWaitingJob else { return false }
        parties.change(slot) { $0.isWaitingJob = true }
        return canLend(slot)
    }

    /// The job runs code of its own again, or ends.
    ///
    /// - Returns: The entry that may not start in its place after all.
    mutating func jobBusy(_ slot: Int, _ slots: Slots) -> Ticket? {
        guard isWaitingJob(slot) else { return nil }
        parties.change(slot) { $0.isWaitingJob = false }
        guard let borrower = parties[slot].borrower,
            slots[borrower.slot].state == .granted
        else { return nil }
        takeBackLoan(of: slot, to: borrower.slot)
        return borrower
    }

    // MARK: Lenders

    /// A job waits for an entry.
    mutating func lenderFound(_ lender: Ticket, for slot: Int, _ slots: Slots) {
        parties.learn(of: slot)
        parties.learn(of: lender.slot)
        guard parties.addLender(lender, to: slot), parties[slot].hasRequestBelow else { return }
        addJob(slots[slot].ticket(slot), below: lender.slot)
        noteRequest(below: lender.slot, slots)
    }

    /// What an entry's own tasks asked for in vain may be had of a job above it now.
    ///
    /// - Returns: An entry that may start; to be called again until it returns nil.
    mutating func lendBelow(_ slot: Int, _ slots: Slots) -> Ticket? {
        guard lenderCount > 0, let lender = firstLender(of: slot, slots) else { return nil }
        return lendPlace(of: lender, slots)
    }

    // MARK: Places enough

    /// Notes an entry that asks, or lends, when there are too few places.
    mutating func postpone(_ slot: Int) {
        if parties.knows(slot) { parties.postpone(slot) }
    }

    mutating func popPostponed() -> Int? { parties.popPostponed() }

    // MARK: Requests

    /// What becomes of a request.
    enum Answer {
        case refused
        case granted
        /// The entry that was to start in the place was less urgent, and may not any more.
        case grantedInstead(of: Ticket)
    }

    /// Asks for a loan for an entry that is ready, or that executes in a place of the queue's.
    mutating func entryAsks(_ slot: Int, _ slots: Slots) -> Answer {
        guard parties.knows(slot), parties[slot].mayBorrow else { return .refused }
        request(for: slot, slots)
        let ticket = slots[slot].ticket(slot)
        if lenderCount > 0, let lender = firstLender(of: slot, slots) {
            grant(ticket, from: lender, slots)
            return .granted
        }
        guard slots[slot].state == .ready else { return .refused }
        // Not of jobs further up: whoever is ten thousand jobs deep would look at them all.
        for lender in parties[slot].lenders where slots.stands(lender) {
            guard let borrower = parties[lender.slot].borrower,
                slots[borrower.slot].state == .granted,
                slots[slot].comesBefore(slots[borrower.slot])
            else { continue }
            takeBackLoan(of: lender.slot, to: borrower.slot)
            grant(ticket, from: lender.slot, slots)
            return .grantedInstead(of: borrower)
        }
        return .refused
    }

    /// Takes back the loan of an entry that has not started, and asks for another.
    ///
    /// - Returns: The job whose place is to be had now.
    mutating func loanReviewed(of slot: Int) -> Int? {
        guard let lender = lender(of: slot) else { return nil }
        takeBackLoan(of: lender.slot, to: slot)
        return lender.slot
    }

    /// Notes at the desks of an entry's lenders that it asks.
    mutating func request(for slot: Int, _ slots: Slots) {
        let ticket = slots[slot].ticket(slot)
        for lender in parties[slot].lenders where slots.stands(lender) {
            let desk = desk(of: lender.slot)
            desks[desk].requests.insert(ticket, priority: slots[slot].priority)
            if desks[desk].requests.isCrowded {
                desks[desk].requests
                    .removeVoid { [parties] in parties[$0.slot].asks(by: $0, $1, slots) }
            }
            noteRequest(below: lender.slot, slots)
        }
    }

    private mutating func desk(of slot: Int) -> Int {
        if parties[slot].desk < 0 { parties[slot].desk = Int32(desks.open()) }
        return Int(parties[slot].desk)
    }

    // MARK: Loans

    /// Looks for somebody to lend the place of a job to; returns the entry that may start.
    mutating func lendPlace(of slot: Int, _ slots: Slots) -> Ticket? {
        guard canLend(slot) else { return nil }
        // The job's own tasks first, then a task further down, of a job whose place is lent
        // already.
        guard let borrower = popRequest(of: slot, slots) ?? popRequest(below: slot, slots) else {
            return nil
        }
        grant(borrower, from: slot, slots)
        return borrower
    }

    /// An entry that executed, or was about to, ends or waits again; one that executes in its place
    /// keeps that.
    ///
    /// - Returns: Whether a place of the queue's is free, and the job whose place is.
    mutating func placeGivenBack(by slot: Int) -> (isFree: Bool, lender: Int?) {
        guard parties.knows(slot) else { return (true, nil) }
        let (lender, borrower) = (parties[slot].lender, parties[slot].borrower)
        if lender == nil, borrower == nil { return (true, nil) }
        parties[slot].lender = nil
        parties.change(slot) { $0.borrower = nil }
        if let borrower { parties[borrower.slot].lender = lender }
        guard let lender else { return (false, nil) }
        parties.change(lender.slot) { $0.borrower = borrower }
        return (false, borrower == nil ? lender.slot : nil)
    }

    /// The entry has left the queue, and given back its place.
    mutating func entryLeft(_ slot: Int) {
        guard parties.knows(slot) else { return }
        if parties[slot].desk >= 0 { desks.close(Int(parties[slot].desk)) }
        parties.forget(slot)
    }

    private mutating func grant(_ borrower: Ticket, from lender: Int, _ slots: Slots) {
        parties[borrower.slot].lender = slots[lender].ticket(lender)
        parties.change(lender) { $0.borrower = borrower }
    }

    private mutating func takeBackLoan(of job: Int, to borrower: Int) {
        parties.change(job) { $0.borrower = nil }
        parties[borrower].lender = nil
    }

    // MARK: The jobs above and below

    /// The nearest job above an entry that could lend its place.
    private mutating func firstLender(of slot: Int, _ slots: Slots) -> Int? {
        var (entry, passed) = (slot, 0)
        // A chain of jobs, as a rule: nobody is met twice.
        while parties[entry].lenders.count == 1, slots.stands(parties[entry].lenders[0]) {
            let lender = parties[entry].lenders[0].slot
            if parties[lender].canLend { return lender }
            if let distance = parties.distanceFromVainEnd(of: lender) {
                parties.searchEndedInVain(from: slot, past: passed, at: distance)
                return nil
            }
            (entry, passed) = (lender, passed + 1)
        }
        guard parties[entry].lenders.count > 1 else {
            parties.searchEndedInVain(from: slot, past: passed, at: 0)
            return nil
        }
        for lender in parties[entry].lenders where slots.stands(lender) {
            if parties[lender.slot].canLend { return lender.slot }
        }
        var seen: Set<Int> = []
        var level = Array(parties[entry].lenders)
        while !level.isEmpty {
            var above: [Ticket] = []
            for job in level where slots.stands(job) && seen.insert(job.slot).inserted {
                if parties[job.slot].canLend { return job.slot }
                above += parties[job.slot].lenders
            }
            level = above
        }
        return nil
    }

    /// Takes out what a job's own tasks ask for.
    private mutating func popRequest(of job: Int, _ slots: Slots) -> Ticket? {
        guard parties[job].desk >= 0 else { return nil }
        let desk = Int(parties[job].desk)
        while let (ticket, priority) = desks[desk].requests.popFirst() {
            if parties[ticket.slot].asks(by: ticket, priority, slots) { return ticket }
        }
        return nil
    }

    /// Takes out what somebody below a job asks for, the jobs in the order in which they first
    /// asked.
    ///
    /// A job hears of a job below it once, however much is asked for there, and forgets it when it
    /// has looked there and found nothing. So a look costs no more than the requests that were made
    /// since the last one, even where ten thousand jobs are nested.
    private mutating func popRequest(below slot: Int, _ slots: Slots) -> Ticket? {
        guard firstJob(below: slot) != nil else { return nil }
        var path = [slot]
        while let job = path.last {
            if path.count > 1, let borrower = popRequest(of: job, slots) { return borrower }
            if let below = firstJob(below: job) {
                if slots.stands(below) {
                    path.append(below.slot)
                } else {
                    removeFirstJob(below: job)
                }
                continue
            }
            path.removeLast()
            guard let above = path.last else { break }
            parties[job].hasRequestBelow = false
            removeFirstJob(below: above)
        }
        return nil
    }

    /// An entry asked this job for a loan; the jobs above may have to look here.
    private mutating func noteRequest(below slot: Int, _ slots: Slots) {
        guard !parties[slot].hasRequestBelow else { return }
        parties[slot].hasRequestBelow = true
        var pending = [slot]
        while let job = pending.popLast() {
            for lender in parties[job].lenders where slots.stands(lender) {
                addJob(slots[job].ticket(job), below: lender.slot)
                guard !parties[lender.slot].hasRequestBelow else { continue }
                parties[lender.slot].hasRequestBelow = true
                pending.append(lender.slot)
            }
        }
    }

    private func firstJob(below job: Int) -> Ticket? {
        parties[job].desk < 0 ? nil : desks[Int(parties[job].desk)].jobsBelow.first
    }

    private mutating func addJob(_ job: Ticket, below lender: Int) {
        desks[desk(of: lender)].jobsBelow.append(job)
    }

    private mutating func removeFirstJob(below job: Int) {
        _ = desks[Int(parties[job].desk)].jobsBelow.popFirst()
    }
}
