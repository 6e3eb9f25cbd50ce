/// Lending: while a job only waits for its tasks, one of them may run in its place.
///
/// A task asks the nearest jobs of its queue that wait for it, and those above them. A loan is
/// granted the moment both sides are there, and taken back if the job gets to run again before the
/// task has started.
extension TaskQueueStateMachine {
    /// The job has nothing to run until one of its tasks finishes.
    mutating func jobWaits(_ slot: Int) {
        guard slots[slot].state == .executing, !slots[slot].isWaitingJob else { return }
        change(slot) { $0.isWaitingJob = true }
        offerPlace(of: slot)
    }

    /// The job runs code of its own again, or ends.
    mutating func jobBusy(_ slot: Int) {
        change(slot) { $0.isWaitingJob = false }
        guard let borrower = slots[slot].borrower, slots[borrower.slot].state == .granted else {
            return
        }
        takeBackLoan(of: slot, to: borrower.slot)
        requestPlace(for: borrower.slot)
    }

    /// The jobs that wait for an entry became known after it was added.
    mutating func lendersFound(_ lenders: [Int], for slot: Int) {
        for lender in lenders.map(ticket) where !slots[slot].lenders.contains(lender) {
            slots[slot].lenders.append(lender)
            if slots[slot].isKnownToAsk { tellOfAsker(slot, lender) }
        }
        moveBeforeBarriers(slot)
        if slots[slot].state == .ready { requestPlace(for: slot) }
        // What the entry's own tasks asked for in vain may be had now.
        while lenderCount > 0, let lender = firstLender(of: slot, where: { slots[$0].canLend }) {
            offerPlace(of: lender)
            if slots[lender].canLend { return }
        }
    }

    /// The job that waits for an entry executes, and barriers wait for the job.
    private mutating func moveBeforeBarriers(_ slot: Int) {
        guard slots[slot].epoch > epochs.current else { return }
        epochs.entryMovedToCurrent(from: slots[slot].epoch)
        slots[slot].epoch = epochs.current
        if slots[slot].state == .parked { makeReady(slot) }
    }

    /// Asks for a loan for an entry that is ready.
    mutating func requestPlace(for slot: Int) {
        guard !slots[slot].lenders.isEmpty else { return }
        let ticket = ticket(slot)
        for lender in slots[slot].lenders where isCurrent(lender) {
            request(ticket, from: lender.slot)
        }
        if lenderCount > 0, let lender = firstLender(of: slot, where: { slots[$0].canLend }) {
            return grant(ticket, from: lender)
        }
        // Not of jobs further up: whoever is ten thousand jobs deep would look at them all.
        guard grantedCount > 0,
            let lender = slots[slot].lenders
                .first(where: {
                    isCurrent($0) && hasLentTo(lessUrgentThan: slot, $0.slot)
                }),
            let borrower = slots[lender.slot].borrower
        else { return }
        takeBackLoan(of: lender.slot, to: borrower.slot)
        grant(ticket, from: lender.slot)
        requestPlace(for: borrower.slot)
    }

    private mutating func request(_ ticket: Ticket, from lender: Int) {
        // Taken out and put back, so that it is changed in place.
        var lists = requests.removeValue(forKey: lender) ?? ReadyLists()
        lists.insert(ticket, priority: slots[ticket.slot].priority)
        if lists.isCrowded {
            lists.removeVoid { slots[$0.slot].stands(for: $0, $1, in: .ready) }
        }
        requests[lender] = lists
        becomeAsker(lender)
    }

    /// Whether a job's place was lent to an entry that has not started, and `slot` comes before it.
    private func hasLentTo(lessUrgentThan slot: Int, _ job: Int) -> Bool {
        guard let borrower = slots[job].borrower?.slot, slots[borrower].state == .granted else {
            return false
        }
        let (mine, other) = (slots[slot], slots[borrower])
        return (mine.priority.rawValue, mine.sequence) < (other.priority.rawValue, other.sequence)
    }

    /// The priority of an entry changed that was lent a place and has not started.
    mutating func reviewLoan(to slot: Int) {
        guard let lender = slots[slot].lender else { return }
        takeBackLoan(of: lender.slot, to: slot)
        for lender in slots[slot].lenders where isCurrent(lender) {
            request(ticket(slot), from: lender.slot)
        }
        offerPlace(of: lender.slot)
    }

    private mutating func takeBackLoan(of job: Int, to borrower: Int) {
        change(job) { $0.borrower = nil }
        grantRevoked(borrower)
    }

    /// Looks for somebody to lend the place of a job to.
    mutating func offerPlace(of slot: Int) {
        guard slots[slot].canLend else { return }
        if let borrower = popRequest(of: slot) { return grant(borrower, from: slot) }
        // Then a task further down, of a job whose own place is lent already.
        if let borrower = popRequest(below: slot) { grant(borrower, from: slot) }
    }

    private mutating func grant(_ borrower: Ticket, from lender: Int) {
        change(lender) { $0.borrower = borrower }
        slots[borrower.slot].lender = ticket(lender)
        slots[borrower.slot].state = .granted
        readyEntryGranted()
        grantedCount += 1
        granted.insert(borrower, priority: slots[borrower.slot].priority)
        guard granted.isCrowded else { return }
        let slots = slots
        granted.removeVoid { slots[$0.slot].stands(for: $0, $1, in: .granted) }
    }

    mutating func popRequest(of job: Int) -> Ticket? {
        guard var lists = requests.removeValue(forKey: job) else { return nil }
        while let (ticket, priority) = lists.popFirst() {
            guard slots[ticket.slot].stands(for: ticket, priority, in: .ready) else { continue }
            requests[job] = lists
            return ticket
        }
        return nil
    }

    /// The nearest job above an entry that fits.
    private func firstLender(of slot: Int, where fits: (Int) -> Bool) -> Int? {
        var seen: Set<Int> = []
        var level = slots[slot].lenders
        while !level.isEmpty {
            var above: [Ticket] = []
            for job in level where isCurrent(job) && seen.insert(job.slot).inserted {
                if fits(job.slot) { return job.slot }
                above += slots[job.slot].lenders
            }
            level = above
        }
        return nil
    }
}
