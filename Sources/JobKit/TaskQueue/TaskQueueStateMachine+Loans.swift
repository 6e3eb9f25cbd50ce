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

    /// The job runs code of its own again.
    mutating func jobBusy(_ slot: Int) {
        change(slot) { $0.isWaitingJob = false }
        guard let borrower = slots[slot].borrower, slots[borrower.slot].state == .granted else {
            return
        }
        change(slot) { $0.borrower = nil }
        grantRevoked(borrower.slot)
    }

    /// The jobs that wait for an entry became known after it was added.
    mutating func lendersFound(_ lenders: [Int], for slot: Int) {
        for lender in lenders.map(ticket) where !slots[slot].lenders.contains(lender) {
            slots[slot].lenders.append(lender)
        }
        if slots[slot].state == .ready { requestPlace(for: slot) }
    }

    /// Asks for a loan for an entry that is ready.
    mutating func requestPlace(for slot: Int) {
        guard !slots[slot].lenders.isEmpty else { return }
        let ticket = ticket(slot)
        for lender in slots[slot].lenders where isCurrent(lender) {
            requests[lender.slot, default: ReadyLists()]
                .insert(
                    ticket,
                    priority: slots[slot].priority
                )
        }
        guard lenderCount > 0 else { return }
        if let lender = firstLender(of: slot, where: { slots[$0].canLend }) {
            grant(ticket, from: lender)
        }
    }

    /// Looks for somebody to lend the place of a job to.
    mutating func offerPlace(of slot: Int) {
        guard slots[slot].canLend else { return }
        if let borrower = popRequest(of: slot) { return grant(borrower, from: slot) }
        // Then a task further down, of a job whose own place is lent already.
        for job in requests.keys.sorted() where job != slot {
            guard firstLender(of: job, where: { $0 == slot }) != nil else { continue }
            if let borrower = popRequest(of: job) { return grant(borrower, from: slot) }
        }
    }

    private mutating func grant(_ borrower: Ticket, from lender: Int) {
        change(lender) { $0.borrower = borrower }
        slots[borrower.slot].lender = ticket(lender)
        slots[borrower.slot].state = .granted
        readyEntryGranted()
        grantedCount += 1
        granted.append(borrower)
    }

    private mutating func popRequest(of job: Int) -> Ticket? {
        guard var lists = requests.removeValue(forKey: job) else { return nil }
        let ticket = lists.popFirst { ticket, priority in
            isCurrent(ticket) && slots[ticket.slot].state == .ready
                && slots[ticket.slot].priority == priority
        }
        if ticket != nil { requests[job] = lists }
        return ticket
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
