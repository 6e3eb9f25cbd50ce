/// The tickets of a queue's entries that are in one state, the next to start first.
///
/// A ticket whose entry has left the state is void; it goes when it is popped, or with others.
struct StateTickets<Entry> {
    typealias Slots = ContiguousArray<TaskQueueSlot<Entry>>

    private var lists = ReadyLists()
    private let state: TaskQueueSlot<Entry>.State

    init(of state: TaskQueueSlot<Entry>.State) {
        self.state = state
    }

    /// Keeps the ticket of an entry, given its slot.
    @inline(__always)
    mutating func insert(_ slot: Int, _ slots: Slots) {
        lists.insert(slots[slot].ticket(slot), priority: slots[slot].priority)
    }

    /// Takes out the slot of the first entry that is still in the state.
    @inline(__always)
    mutating func popFirst(_ slots: Slots) -> Int? {
        while let (ticket, priority) = lists.popFirst() {
            if slots[ticket.slot].stands(for: ticket, priority, in: state) { return ticket.slot }
        }
        return nil
    }

    /// The slot of the first entry that is still in the state.
    mutating func first(_ slots: Slots) -> Int? {
        while let (ticket, priority) = lists.first {
            if slots[ticket.slot].stands(for: ticket, priority, in: state) { return ticket.slot }
            _ = lists.popFirst()
        }
        return nil
    }

    /// Keeps the lists short where entries leave the state without being popped.
    mutating func removeVoid(_ slots: Slots) {
        // The tasks of one job start one after another with its permit, and none is popped here.
        while let first = lists.firstOfNormal,
            !slots[first.slot].stands(for: first, .normal, in: state)
        {
            lists.removeFirstOfNormal()
        }
        guard lists.isCrowded else { return }
        lists.removeVoid { slots[$0.slot].stands(for: $0, $1, in: state) }
    }
}
