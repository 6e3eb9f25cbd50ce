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
    /// One, or none for an entry that has nothing to do with loans, as nearly all: 100,000 slots in
    /// the caches of two cores are more than fit in, and so are less than half as large.
    private var loans: [Loans] = []

    struct Loans {
        var lenders: [TaskQueueTicket] = []
        var lender: TaskQueueTicket?
        var borrower: TaskQueueTicket?
        var isWaitingJob = false
        var isKnownToAsk = false
    }

    /// Whether a ticket in a list for a priority is this entry's, and the entry in a state.
    func stands(for ticket: TaskQueueTicket, _ priority: TaskPriority, in state: State) -> Bool {
        sequence == ticket.sequence && self.state == state && self.priority == priority
    }

    /// Whether the entry had to do with loans, as few have.
    var knowsLoans: Bool { !loans.isEmpty }

    /// The nearest jobs that execute in this queue and wait for this entry.
    var lenders: [TaskQueueTicket] {
        get { loans.first?.lenders ?? [] }
        set { set(\.lenders, to: newValue) }
    }

    /// The job in whose place this entry executes.
    var lender: TaskQueueTicket? {
        get { loans.first?.lender }
        set { set(\.lender, to: newValue) }
    }

    /// The entry that executes, or may start, in this job's place.
    var borrower: TaskQueueTicket? {
        get { loans.first?.borrower }
        set { set(\.borrower, to: newValue) }
    }

    /// Whether this is a job that only waits for its tasks.
    var isWaitingJob: Bool {
        get { loans.first?.isWaitingJob ?? false }
        set { set(\.isWaitingJob, to: newValue) }
    }

    /// Whether the jobs above know that entries of this job, or below it, asked for a loan.
    var isKnownToAsk: Bool {
        get { loans.first?.isKnownToAsk ?? false }
        set { set(\.isKnownToAsk, to: newValue) }
    }

    private mutating func set<Value>(_ field: WritableKeyPath<Loans, Value>, to value: Value) {
        if loans.isEmpty { loans.append(Loans()) }
        loans[0][keyPath: field] = value
    }

    /// Whether this job's place is to be had.
    var canLend: Bool { isWaitingJob && borrower == nil && state == .executing }
}
