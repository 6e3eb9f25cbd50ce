/// What one entry of a queue has to do with loans.
struct LoanState: Sendable {
    /// The nearest jobs that execute in the queue and wait for the entry.
    var lenders = Lenders()
    /// The job whose permit the entry uses, or may start with.
    var lender: TaskQueueTicket?
    /// The entry that uses this job's permit, or may start with it.
    var borrower: TaskQueueTicket?
    /// Whether this is a job that executes and only waits for its tasks.
    var isWaitingJob = false
    /// Whether the entry is noted among those that request or lend later.
    var isPostponed = false
    /// Whether the jobs above know that a task below this job requests a permit.
    var hasRequestBelow = false
    /// What only a job has that was asked for its permit, or for one below or above it.
    private(set) var asked = Rare<Asked>()

    struct Asked: Sendable {
        /// What the job's own tasks request.
        var requests = ReadyLists()
        /// The jobs below whose tasks request something, in the order in which they first did.
        var jobsBelow = FIFO<TaskQueueTicket>()
    }

    /// The first of ``Asked/jobsBelow``.
    var firstBelow: TaskQueueTicket? { asked.read { $0.jobsBelow.first } ?? nil }

    mutating func forgetFirstBelow() -> TaskQueueTicket? {
        asked.change { $0.jobsBelow.popFirst() } ?? nil
    }

    /// Takes out the first of ``Asked/requests``.
    mutating func nextRequest() -> (ticket: TaskQueueTicket, priority: TaskPriority)? {
        asked.change { $0.requests.popFirst() } ?? nil
    }

    @inline(__always)
    mutating func isAsked<Result>(_ change: (inout Asked) -> Result) -> Result {
        asked.change(orMake: Asked(), change)
    }

    /// Whether this job's permit is to be had.
    var canLend: Bool { isWaitingJob && borrower == nil }

    /// All is as before the entry came.
    mutating func entryLeft() {
        lenders.removeAll()
        (lender, borrower) = (nil, nil)
        (isWaitingJob, isPostponed, hasRequestBelow) = (false, false, false)
        if !asked.isNone { asked = Rare() }
    }

    /// The nearest jobs that wait for an entry: as a rule one, which needs no array.
    struct Lenders: RandomAccessCollection, Sendable {
        private var nearest: TaskQueueTicket?
        private var others = Rare<Others>()

        private struct Others: Sendable {
            var inOrder: [TaskQueueTicket] = []
            /// The same: one by one, thousands of jobs would be compared with each other.
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

        /// Adds a lender; returns false if it is known.
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
