/// The part that one entry of a queue has in lending.
struct TaskQueueLoanState: Sendable {
    /// The nearest jobs that execute in the queue and wait for the entry, in the order found.
    var lenders: [TaskQueueTicket] = []
    /// The job that lends its permit to the entry, which uses it or may start with it.
    var lender: TaskQueueTicket?
    /// The entry that borrows this job's permit: it uses it, or may start with it.
    var borrower: TaskQueueTicket?
    /// Whether this is an executing job that only waits for its tasks.
    var isWaitingJob = false
    /// Whether the jobs above were notified that a task below this job requests a permit.
    var hasRequestBelow = false
    /// Whether this job is on the list of jobs that can lend and have requests.
    var isListed = false
    /// Lending state that only jobs need, allocated on first use.
    private(set) var lenderState = Rare<LenderState>()

    struct LenderState: Sendable {
        /// The requests of the job's own tasks.
        var requests = ReadyLists()
        /// The nested jobs with requesting tasks, in the order in which they first requested.
        var jobsBelow = FIFO<TaskQueueTicket>()
    }

    /// Whether this job's permit is available.
    var canLend: Bool { isWaitingJob && borrower == nil }

    /// Whether a task below this job may request a permit.
    var hasRequests: Bool {
        lenderState.read { $0.requests.count > 0 || !$0.jobsBelow.isEmpty } == true
    }

    mutating func withLenderState<Result>(_ change: (inout LenderState) -> Result) -> Result {
        lenderState.change(orMake: LenderState(), change)
    }

    /// Resets everything, because the entry has left the queue.
    mutating func entryLeft() {
        // Keeps the array for the next entry. `removeAll(keepingCapacity:)` costs more for one element.
        while !lenders.isEmpty { lenders.removeLast() }
        (lender, borrower) = (nil, nil)
        (isWaitingJob, hasRequestBelow, isListed) = (false, false, false)
        if !lenderState.isNone { lenderState = Rare() }
    }
}
