/// The part that one entry of a queue has in lending.
struct TaskQueueLoanState: Sendable {
    /// The nearest jobs that execute in the queue and wait for the entry.
    var lenders = Lenders()
    /// The job that lends its permit to the entry, which uses it or may start with it.
    var lender: TaskQueueTicket?
    /// The entry that borrows this job's permit: it uses it, or may start with it.
    var borrower: TaskQueueTicket?
    /// Whether this is an executing job that only waits for its tasks.
    var isWaitingJob = false
    /// Whether the entry is on the list of entries that request or lend later.
    var isDeferred = false
    /// Whether the jobs above were notified that a task below this job requests a permit.
    var hasRequestBelow = false
    /// Lending state that only jobs need, allocated on first use.
    private(set) var lenderState = Rare<LenderState>()

    struct LenderState: Sendable {
        /// The requests of the job's own tasks.
        var requests = ReadyLists()
        /// The nested jobs with requesting tasks, in the order in which they first requested.
        var jobsBelow = FIFO<TaskQueueTicket>()
    }

    /// The first of ``LenderState/jobsBelow``.
    var firstBelow: TaskQueueTicket? { lenderState.read { $0.jobsBelow.first } ?? nil }

    mutating func forgetFirstBelow() -> TaskQueueTicket? {
        lenderState.change { $0.jobsBelow.popFirst() } ?? nil
    }

    /// Removes the first of ``LenderState/requests``.
    mutating func nextRequest() -> (ticket: TaskQueueTicket, priority: OperationPriority)? {
        lenderState.change { $0.requests.popFirst() } ?? nil
    }

    @inline(__always)
    mutating func withLenderState<Result>(_ change: (inout LenderState) -> Result) -> Result {
        lenderState.change(orMake: LenderState(), change)
    }

    /// Whether this job's permit is available.
    var canLend: Bool { isWaitingJob && borrower == nil }

    /// Resets everything, because the entry has left the queue.
    mutating func entryLeft() {
        lenders.removeAll()
        (lender, borrower) = (nil, nil)
        (isWaitingJob, isDeferred, hasRequestBelow) = (false, false, false)
        if !lenderState.isNone { lenderState = Rare() }
    }

    /// The nearest jobs that wait for an entry, usually a single one, which needs no array.
    struct Lenders: RandomAccessCollection, Sendable {
        private var nearest: TaskQueueTicket?
        private var others = Rare<Others>()

        private struct Others: Sendable {
            var inOrder: [TaskQueueTicket] = []
            /// The same tickets, so that thousands of jobs need not be compared one by one.
            var known: Set<TaskQueueTicket> = []
        }

        var startIndex: Int { 0 }
        var endIndex: Int { nearest == nil ? 0 : 1 + (others.read { $0.inOrder.count } ?? 0) }

        subscript(index: Int) -> TaskQueueTicket {
            if index == 0, let nearest { return nearest }
            guard let other = others.read({ $0.inOrder[index - 1] }) else {
                preconditionFailure("an index beyond the lenders")
            }
            return other
        }

        /// Adds a lender, or returns false if it was already added.
        mutating func insert(_ lender: TaskQueueTicket) -> Bool {
            guard let nearest else {
                self.nearest = lender
                return true
            }
            guard lender != nearest else { return false }
            return others.change(orMake: Others()) { others in
                guard others.known.insert(lender).inserted else { return false }
                others.inOrder.append(lender)
                return true
            }
        }

        mutating func removeAll() {
            nearest = nil
            if !others.isNone { others = Rare() }
        }
    }
}
