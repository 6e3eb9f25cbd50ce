/// What a queue knows of one entry that stands in it.
struct TaskQueueSlot<Entry> {
    enum State: Equatable {
        case vacant
        /// Waits for dependencies.
        case waiting
        /// Ready, but behind a barrier.
        case parked
        case ready
        /// May start in the place of a job that waits for it.
        case granted
        case executing
    }

    var entry: Entry?
    var sequence = 0
    var priority = TaskPriority.normal
    var state = State.vacant
    /// Counts the barriers, and the stretches between them, since the queue was made.
    var epoch = 0
    /// The nearest jobs that execute in this queue and wait for this entry.
    var lenders: [TaskQueueTicket] = []
    /// The job in whose place this entry executes.
    var lender: TaskQueueTicket?
    /// The entry that executes, or may start, in this job's place.
    var borrower: TaskQueueTicket?
    /// Whether this is a job that only waits for its tasks.
    var isWaitingJob = false
    /// Whether the jobs above know that entries of this job, or below it, asked for a loan.
    var isKnownToAsk = false

    /// Whether a ticket in a list for a priority is this entry's, and the entry in a state.
    func stands(for ticket: TaskQueueTicket, _ priority: TaskPriority, in state: State) -> Bool {
        sequence == ticket.sequence && self.state == state && self.priority == priority
    }

    /// Whether the entry has to do with loans, as few do.
    var knowsLoans: Bool {
        isWaitingJob || isKnownToAsk || lender != nil || borrower != nil || !lenders.isEmpty
    }

    /// Whether this job's place is to be had.
    var canLend: Bool { isWaitingJob && borrower == nil && state == .executing }
}
