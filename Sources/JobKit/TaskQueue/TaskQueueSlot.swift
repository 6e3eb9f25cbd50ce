/// The state of one entry in a queue.
struct TaskQueueSlot<Entry> {
    enum State: Equatable {
        case vacant
        /// Waits for dependencies.
        case waiting
        /// Ready, but behind a barrier.
        case blocked
        case ready
        /// May start with the permit of a job that waits for it.
        case reserved
        case executing
        /// Was cancelled before its start, and is being ended without a permit.
        case withdrawn
    }

    var entry: Entry?
    var sequence = 0
    var priority = TaskPriority.normal
    var state = State.vacant
    /// The number of the entry's epoch, counted since the queue was created.
    var epoch = 0

    /// Whether a ticket from a list for a priority belongs to this entry, and the entry is in a
    /// state.
    func stands(for ticket: TaskQueueTicket, _ priority: TaskPriority, in state: State) -> Bool {
        sequence == ticket.sequence && self.state == state && self.priority == priority
    }

    /// The ticket of the entry, given the index of this slot.
    func ticket(_ slot: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: sequence, slot: slot)
    }

    /// Whether the entry is more urgent than another, or as urgent and was added earlier.
    func comesBefore(_ other: Self) -> Bool { order < other.order }

    var order: TaskQueueOrder { TaskQueueOrder(priority: priority.rawValue, sequence: sequence) }
}

extension ContiguousArray {
    /// Whether the ticket's entry is still in the queue.
    @inline(__always)
    func stands<Entry>(_ ticket: TaskQueueTicket) -> Bool where Element == TaskQueueSlot<Entry> {
        self[ticket.slot].sequence == ticket.sequence && self[ticket.slot].state != .vacant
    }
}
