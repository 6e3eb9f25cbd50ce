/// The tickets of the entries of a queue that are in one state, the next to start first.
///
/// The ticket of an entry that has left the state is stale. It is removed when it is popped, or
/// together with other stale tickets.
struct TaskQueueTickets<Entry> {
    typealias Slots = TaskQueueSlots<Entry>

    private var lists = ReadyLists()
    private let state: TaskQueueSlot<Entry>.State

    init(of state: TaskQueueSlot<Entry>.State) {
        self.state = state
    }

    /// Adds the ticket of the entry in a slot.
    @inline(__always)
    mutating func insert(_ slot: Int, _ slots: Slots) {
        lists.insert(slots[slot].ticket(slot), priority: slots[slot].priority)
    }

    /// The slot of the first entry that is still in the state.
    mutating func first(_ slots: Slots) -> Int? {
        while let (ticket, priority) = lists.first {
            if slots[ticket.slot].matches(ticket, priority, in: state) { return ticket.slot }
            _ = lists.popFirst()
        }
        return nil
    }

    /// Keeps the lists short if entries leave the state without being popped.
    mutating func removeStale(_ slots: Slots) {
        guard lists.needsCompaction else { return }
        lists.removeStale { slots[$0.slot].matches($0, $1, in: state) }
    }
}
