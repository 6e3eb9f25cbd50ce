/// Tickets by priority and, within a priority, by the order in which their entries were added.
///
/// A ticket that has become stale stays until it is popped. Only the caller knows which tickets are
/// valid. A caller that makes many tickets stale without popping them removes them when the lists
/// are ``needsCompaction``.
struct ReadyLists: Sendable {
    private struct Ranked: Comparable, Sendable {
        let ticket: TaskQueueTicket
        let priority: OperationPriority

        static func < (left: Self, right: Self) -> Bool {
            (left.priority.rawValue, left.ticket) < (right.priority.rawValue, right.ticket)
        }
    }

    /// The tickets of normal priority that came in the order added, which are nearly all of them.
    private var inOrder = FIFO<TaskQueueTicket>()
    private var newest = -1
    /// The tickets of another priority, and those that became ready after one that was added later.
    private var others = MinHeap<Ranked>()
    /// How many tickets are reason enough to remove stale ones.
    private var compactionThreshold = Self.smallestThreshold

    private static let smallestThreshold = 64

    /// How many tickets there are, including stale ones.
    var count: Int { inOrder.count + others.count }

    /// Whether there are twice as many tickets as when stale ones were last removed.
    var needsCompaction: Bool { count > compactionThreshold }

    /// Removes the tickets that are no longer valid.
    mutating func removeStale(where holds: (TaskQueueTicket, OperationPriority) -> Bool) {
        inOrder.removeAll { !holds($0, .normal) }
        others.removeAll { !holds($0.ticket, $0.priority) }
        compactionThreshold = max(Self.smallestThreshold, 2 * count)
    }

    mutating func insert(_ ticket: TaskQueueTicket, priority: OperationPriority) {
        guard priority == .normal, ticket.sequence > newest else {
            return others.insert(Ranked(ticket: ticket, priority: priority))
        }
        newest = ticket.sequence
        inOrder.append(ticket)
    }

    /// The first ticket, stale or not, with its priority.
    var first: (ticket: TaskQueueTicket, priority: OperationPriority)? {
        isNextInOrder
            ? inOrder.first.map { ($0, .normal) }
            : others.first.map { ($0.ticket, $0.priority) }
    }

    /// The first valid ticket.
    ///
    /// Removes the stale ones before it.
    mutating func first(where holds: (TaskQueueTicket, OperationPriority) -> Bool)
        -> TaskQueueTicket?
    {
        while let (ticket, priority) = first {
            if holds(ticket, priority) { return ticket }
            _ = popFirst()
        }
        return nil
    }

    /// Removes and returns the first ticket, stale or not, with its priority.
    mutating func popFirst() -> (ticket: TaskQueueTicket, priority: OperationPriority)? {
        isNextInOrder
            ? inOrder.popFirst().map { ($0, .normal) }
            : others.popFirst().map { ($0.ticket, $0.priority) }
    }

    private var isNextInOrder: Bool {
        guard let other = others.first else { return true }
        return inOrder.first.map { Ranked(ticket: $0, priority: .normal) < other } == true
    }
}
