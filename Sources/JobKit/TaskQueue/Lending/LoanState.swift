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
    /// Whether the slot is noted among those that request or lend when there are too few permits.
    var isPostponed = false
    /// Whether the jobs above know that a task below this job requests a permit.
    var hasRequestBelow = false
    /// Whether a task has ever requested a permit of this job or below it.
    var wasAsked = false
    /// What the job's own tasks request.
    var requests = ReadyLists()
    /// The jobs below whose tasks request something, in the order in which they first did.
    var jobsBelow = FIFO<TaskQueueTicket>()
    /// Whether a search has shown that neither this job nor any above it can lend.
    var search = PermitSearches.Mark()

    /// Whether this job's permit is to be had.
    var canLend: Bool { isWaitingJob && borrower == nil }

    /// All is as before the entry came, but for what holds for the slot.
    mutating func entryLeft() {
        lenders.removeAll()
        (lender, borrower) = (nil, nil)
        (isWaitingJob, hasRequestBelow) = (false, false)
        search = PermitSearches.Mark()
        guard wasAsked else { return }
        (wasAsked, requests, jobsBelow) = (false, ReadyLists(), FIFO())
    }

    /// The nearest jobs that wait for an entry: as a rule one, which needs no array.
    struct Lenders: RandomAccessCollection, Sendable {
        private var nearest: TaskQueueTicket?
        private var others: [TaskQueueTicket] = []
        /// The others again: one by one, thousands of jobs would be compared with each other.
        private var known: Set<TaskQueueTicket> = []

        var startIndex: Int { 0 }
        var endIndex: Int { nearest == nil ? 0 : 1 + others.count }

        subscript(index: Int) -> TaskQueueTicket {
            guard index == 0, let nearest else { return others[index - 1] }
            return nearest
        }

        /// Adds a lender; returns false if it is known.
        mutating func insert(_ lender: TaskQueueTicket) -> Bool {
            guard let nearest else {
                self.nearest = lender
                return true
            }
            guard lender != nearest, known.insert(lender).inserted else { return false }
            others.append(lender)
            return true
        }

        mutating func removeAll() {
            nearest = nil
            if !others.isEmpty { (others, known) = ([], []) }
        }
    }
}
