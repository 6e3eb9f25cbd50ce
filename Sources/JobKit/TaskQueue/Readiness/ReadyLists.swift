/// Tickets by priority and, within a priority, by the order in which their entries were added.
///
/// A ticket that has become stale stays until it is popped. Only the caller knows which tickets are
/// valid. A caller that makes many tickets stale without popping them removes them when the lists
/// are ``needsCompaction``.
struct ReadyLists: Sendable {
    private struct List: Sendable {
        /// The tickets that came in the order added, which are nearly all of them.
        var inOrder = FIFO<TaskQueueTicket>()
        /// The tickets that became ready after one that was added later.
        var late = MinHeap<TaskQueueTicket>()
        var newest = -1

        var first: TaskQueueTicket? {
            guard let late = late.first else { return inOrder.first }
            guard let first = inOrder.first else { return late }
            return min(late, first)
        }

        mutating func insert(_ ticket: TaskQueueTicket) {
            if ticket.sequence > newest {
                newest = ticket.sequence
                inOrder.append(ticket)
            } else {
                late.insert(ticket)
            }
        }

        var count: Int { inOrder.count + late.count }

        func contains(where condition: (TaskQueueTicket) -> Bool) -> Bool {
            inOrder.contains(where: condition) || late.contains(where: condition)
        }

        mutating func removeAll(where isStale: (TaskQueueTicket) -> Bool) {
            inOrder.removeAll(where: isStale)
            late.removeAll(where: isStale)
        }

        mutating func popFirst() -> TaskQueueTicket? {
            guard let lateFirst = late.first else { return inOrder.popFirst() }
            guard let first = inOrder.first, first < lateFirst else { return late.popFirst() }
            return inOrder.popFirst()
        }
    }

    private var normal = List()
    /// The lists of the other priorities by raw value, empty until one of them is used.
    ///
    /// Therefore, everything that an entry of normal priority needs is in one cache line. Two
    /// threads that use the queue take that line from each other.
    private var others: [List] = []
    /// How many tickets are reason enough to remove stale ones.
    private var compactionThreshold = Self.smallestThreshold

    private static let smallestThreshold = 64
    private static let moreUrgent: [OperationPriority] = [.veryHigh, .high]
    private static let lessUrgent: [OperationPriority] = [.low, .veryLow]

    /// How many tickets there are, including stale ones.
    var count: Int { others.reduce(normal.count) { $0 + $1.count } }

    /// Whether there are twice as many tickets as when stale ones were last removed.
    var needsCompaction: Bool {
        normal.count > compactionThreshold || !others.isEmpty && count > compactionThreshold
    }

    /// Removes the tickets that are no longer valid.
    mutating func removeStale(where holds: (TaskQueueTicket, OperationPriority) -> Bool) {
        normal.removeAll { !holds($0, .normal) }
        if !others.isEmpty {
            for priority in Self.moreUrgent + Self.lessUrgent {
                others[priority.rawValue].removeAll { !holds($0, priority) }
            }
        }
        compactionThreshold = max(Self.smallestThreshold, 2 * count)
    }

    /// Whether any ticket, stale or not, satisfies a condition, checked in no particular order.
    func contains(where condition: (TaskQueueTicket, OperationPriority) -> Bool) -> Bool {
        if normal.contains(where: { condition($0, .normal) }) { return true }
        return zip(others, OperationPriority.allCases)
            .contains { list, priority in list.contains { condition($0, priority) } }
    }

    /// The first ticket of normal priority that came in the order added, stale or not.
    var firstOfNormal: TaskQueueTicket? { normal.inOrder.first }

    mutating func removeFirstOfNormal() { _ = normal.inOrder.popFirst() }

    mutating func insert(_ ticket: TaskQueueTicket, priority: OperationPriority) {
        guard priority != .normal else { return normal.insert(ticket) }
        if others.isEmpty {
            others = Array(repeating: List(), count: OperationPriority.allCases.count)
        }
        others[priority.rawValue].insert(ticket)
    }

    /// The first ticket, stale or not, with its priority.
    var first: (ticket: TaskQueueTicket, priority: OperationPriority)? {
        guard !others.isEmpty else { return normal.first.map { ($0, .normal) } }
        for priority in Self.moreUrgent {
            if let ticket = others[priority.rawValue].first { return (ticket, priority) }
        }
        if let ticket = normal.first { return (ticket, .normal) }
        for priority in Self.lessUrgent {
            if let ticket = others[priority.rawValue].first { return (ticket, priority) }
        }
        return nil
    }

    /// Removes and returns the first ticket, stale or not, with its priority.
    mutating func popFirst() -> (ticket: TaskQueueTicket, priority: OperationPriority)? {
        guard !others.isEmpty else { return normal.popFirst().map { ($0, .normal) } }
        return popFirstOfAll()
    }

    // Not inlined, because the array of the other lists would be made unique for each entry without
    // them.
    @inline(never)
    private mutating func popFirstOfAll() -> (ticket: TaskQueueTicket, priority: OperationPriority)?
    {
        if let found = popFirst(of: Self.moreUrgent) { return found }
        if let ticket = normal.popFirst() { return (ticket, .normal) }
        return popFirst(of: Self.lessUrgent)
    }

    private mutating func popFirst(
        of priorities: [OperationPriority]
    ) -> (ticket: TaskQueueTicket, priority: OperationPriority)? {
        for priority in priorities {
            if let ticket = others[priority.rawValue].popFirst() { return (ticket, priority) }
        }
        return nil
    }
}
