/// Tickets by priority, within a priority the one added first.
///
/// Tickets are not removed when they become void; who pops them says which still hold, and who makes
/// many void without popping them has them removed when the lists are ``isCrowded``.
struct ReadyLists: Sendable {
    private struct List: Sendable {
        /// Those that came in the order added, as nearly all do.
        var inOrder = FIFO<TaskQueueTicket>()
        /// Those that became ready after one that was added later.
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

        mutating func removeAll(where isVoid: (TaskQueueTicket) -> Bool) {
            inOrder.removeAll(where: isVoid)
            late.removeAll(where: isVoid)
        }

        mutating func popFirst() -> TaskQueueTicket? {
            guard let lateFirst = late.first else { return inOrder.popFirst() }
            guard let first = inOrder.first, first < lateFirst else { return late.popFirst() }
            return inOrder.popFirst()
        }
    }

    // Five fields and not an array: a queue's ready list is used for every operation, and an array
    // would be one more allocation to follow.
    private var veryHigh = List()
    private var high = List()
    private var normal = List()
    private var low = List()
    private var veryLow = List()
    /// How many tickets are a reason to look for void ones.
    private var crowd = Self.smallestCrowd

    private static let smallestCrowd = 64

    /// How many tickets there are, void ones too.
    var count: Int { veryHigh.count + high.count + normal.count + low.count + veryLow.count }

    /// Whether there are twice as many tickets as when void ones were last removed.
    var isCrowded: Bool { count > crowd }

    /// Removes the tickets that no longer hold, given their priority.
    mutating func removeVoid(where holds: (TaskQueueTicket, TaskPriority) -> Bool) {
        veryHigh.removeAll { !holds($0, .veryHigh) }
        high.removeAll { !holds($0, .high) }
        normal.removeAll { !holds($0, .normal) }
        low.removeAll { !holds($0, .low) }
        veryLow.removeAll { !holds($0, .veryLow) }
        crowd = max(Self.smallestCrowd, 2 * count)
    }

    mutating func insert(_ ticket: TaskQueueTicket, priority: TaskPriority) {
        switch priority {
        case .veryHigh: veryHigh.insert(ticket)
        case .high: high.insert(ticket)
        case .normal: normal.insert(ticket)
        case .low: low.insert(ticket)
        case .veryLow: veryLow.insert(ticket)
        }
    }

    /// Removes and returns the first ticket, void or not, with its priority.
    mutating func popFirst() -> (ticket: TaskQueueTicket, priority: TaskPriority)? {
        if let ticket = veryHigh.popFirst() { return (ticket, .veryHigh) }
        if let ticket = high.popFirst() { return (ticket, .high) }
        if let ticket = normal.popFirst() { return (ticket, .normal) }
        if let ticket = low.popFirst() { return (ticket, .low) }
        if let ticket = veryLow.popFirst() { return (ticket, .veryLow) }
        return nil
    }
}
