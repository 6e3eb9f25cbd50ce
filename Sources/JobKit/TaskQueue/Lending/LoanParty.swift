/// What one entry of a queue has to do with loans.
struct LoanParty: Sendable {
    /// The nearest jobs that execute in the queue and wait for the entry.
    var lenders = LoanLenders()
    /// The job in whose place the entry executes, or may start.
    var lender: TaskQueueTicket?
    /// The entry that executes, or may start, in this job's place.
    var borrower: TaskQueueTicket?
    /// Where the tasks of this job ask; -1 until one does.
    var desk: Int32 = -1
    /// Whether this is a job that executes and only waits for its tasks.
    var isWaitingJob = false
    /// Whether the jobs above know that somebody below this job asks for a loan.
    var hasRequestBelow = false
    /// Whether the slot is noted among those that ask or lend when there are too few places.
    var isPostponed = false
    /// Whether a search has shown that neither this job nor any above it can lend.
    var search = LoanSearches.Mark()

    /// Whether this job's place is to be had.
    var canLend: Bool { isWaitingJob && borrower == nil }

    /// Whether there is somebody to borrow from, and nothing borrowed.
    var mayBorrow: Bool { lender == nil && !lenders.isEmpty }

    /// The entry has left the queue: all is as before it came, but for what holds for the slot.
    mutating func forget() {
        lenders.removeAll()
        (lender, borrower) = (nil, nil)
        desk = -1
        search = LoanSearches.Mark()
        (isWaitingJob, hasRequestBelow) = (false, false)
    }

    /// Whether the entry still asks by a ticket: it is ready, or executes in a place of the
    /// queue's.
    func asks<Entry>(
        by ticket: TaskQueueTicket,
        _ priority: TaskPriority,
        _ slots: ContiguousArray<TaskQueueSlot<Entry>>
    ) -> Bool {
        guard slots[ticket.slot].state == .executing else {
            return slots[ticket.slot].stands(for: ticket, priority, in: .ready)
        }
        return slots[ticket.slot].sequence == ticket.sequence && lender == nil
    }
}
