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

    fileprivate(set) var entry: Entry?
    fileprivate(set) var sequence = 0
    fileprivate(set) var priority = OperationPriority.normal
    fileprivate(set) var state = State.vacant
    /// The number of the entry's epoch, counted since the queue was created.
    fileprivate(set) var epoch = 0

    /// Whether a ticket from a list for a priority belongs to this entry, and the entry is in a
    /// state.
    func matches(_ ticket: TaskQueueTicket, _ priority: OperationPriority, in state: State) -> Bool
    {
        sequence == ticket.sequence && self.state == state && self.priority == priority
    }

    /// The ticket of the entry, given the index of this slot.
    func ticket(_ slot: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: sequence, slot: slot)
    }

    /// Whether the entry is more urgent than another, or as urgent and was added earlier.
    func comesBefore(_ other: Self) -> Bool {
        (priority.rawValue, sequence) < (other.priority.rawValue, other.sequence)
    }
}

/// The entries of a queue, and all transitions between their states.
struct TaskQueueSlots<Entry>: RandomAccessCollection {
    typealias Element = TaskQueueSlot<Entry>

    private var slots: ContiguousArray<TaskQueueSlot<Entry>> = []
    private var vacant: [Int] = []
    private var nextSequence = 0

    var startIndex: Int { 0 }
    var endIndex: Int { slots.count }

    subscript(slot: Int) -> TaskQueueSlot<Entry> {
        @inline(__always) _read { yield slots[slot] }
    }

    /// Whether the ticket's entry is still in the queue.
    @inline(__always)
    func isCurrent(_ ticket: TaskQueueTicket) -> Bool {
        slots[ticket.slot].sequence == ticket.sequence && slots[ticket.slot].state != .vacant
    }

    /// Adds an entry, which waits for its dependencies.
    @inline(__always)
    mutating func add(_ entry: Entry, priority: OperationPriority, epoch: Int) -> Int {
        let slot = vacant.popLast() ?? slots.count
        if slot == slots.count { slots.append(TaskQueueSlot()) }
        slots[slot].entry = entry
        slots[slot].sequence = nextSequence
        slots[slot].priority = priority
        slots[slot].state = .waiting
        slots[slot].epoch = epoch
        nextSequence += 1
        return slot
    }

    mutating func mark(_ slot: Int, _ state: Element.State) { slots[slot].state = state }

    /// Makes a vacant slot available to the next entry.
    mutating func reuse(_ slot: Int) {
        slots[slot].entry = nil
        vacant.append(slot)
    }

    mutating func setPriority(_ slot: Int, _ priority: OperationPriority) {
        slots[slot].priority = priority
    }

    mutating func setEpoch(_ slot: Int, _ epoch: Int) { slots[slot].epoch = epoch }
}
