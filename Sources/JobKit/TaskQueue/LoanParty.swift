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

    /// Whether this job's place is to be had.
    var canLend: Bool { isWaitingJob && borrower == nil }
}
