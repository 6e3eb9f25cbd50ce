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
    fileprivate(set) var ticket = TaskQueueTicket(sequence: -1, slot: 0)
    var priority = OperationPriority.normal
    var state = State.vacant
    /// The number of the entry's epoch, counted since the queue was created.
    var epoch = 0

    /// The entry's position in the queue: by priority and, within a priority, by the time it was
    /// added.
    var order: (priority: Int, sequence: Int) { (priority.rawValue, ticket.sequence) }

    /// Whether the entry is in the queue and was not started.
    var isUnstarted: Bool {
        switch state {
        case .waiting, .blocked, .ready, .reserved: true
        case .vacant, .executing, .withdrawn: false
        }
    }

    /// Whether a ticket from a list for a priority belongs to this entry, and the entry is in a
    /// state.
    func matches(_ ticket: TaskQueueTicket, _ priority: OperationPriority, in state: State) -> Bool
    {
        self.ticket == ticket && self.state == state && self.priority == priority
    }

    /// Whether a ticket from a list of requests belongs to this entry, and the entry could still
    /// use the permit of a job.
    func mayRequestPermit(_ ticket: TaskQueueTicket, _ priority: OperationPriority) -> Bool {
        self.ticket == ticket
            && (state == .executing || state == .ready && self.priority == priority)
    }
}

/// The entries of a queue, by slot, and the tickets of those that may start.
struct TaskQueueSlots<Entry>: RandomAccessCollection {
    typealias Element = TaskQueueSlot<Entry>

    private var slots: ContiguousArray<TaskQueueSlot<Entry>> = []
    private var vacant: [Int] = []
    private var nextSequence = 0
    private var ready = ReadyLists()
    private var reserved = ReadyLists()

    var startIndex: Int { 0 }
    var endIndex: Int { slots.count }

    subscript(slot: Int) -> TaskQueueSlot<Entry> {
        @inline(__always) _read { yield slots[slot] }
        @inline(__always) _modify { yield &slots[slot] }
    }

    /// Whether the ticket's entry is still in the queue.
    @inline(__always)
    func isCurrent(_ ticket: TaskQueueTicket) -> Bool {
        slots[ticket.slot].ticket == ticket && slots[ticket.slot].state != .vacant
    }

    /// Adds an entry, which waits for its dependencies.
    @inline(__always)
    mutating func add(_ entry: Entry, priority: OperationPriority, epoch: Int) -> Int {
        let slot = vacant.popLast() ?? slots.count
        if slot == slots.count { slots.append(TaskQueueSlot()) }
        slots[slot].entry = entry
        slots[slot].ticket = TaskQueueTicket(sequence: nextSequence, slot: slot)
        slots[slot].priority = priority
        slots[slot].state = .waiting
        slots[slot].epoch = epoch
        nextSequence += 1
        return slot
    }

    /// Makes a vacant slot available to the next entry.
    mutating func reuse(_ slot: Int) {
        slots[slot].entry = nil
        vacant.append(slot)
    }

    // MARK: Tickets

    /// Adds the ticket of an entry that is ready or reserved.
    mutating func list(_ slot: Int) {
        let (ticket, priority) = (slots[slot].ticket, slots[slot].priority)
        if slots[slot].state == .ready {
            ready.insert(ticket, priority: priority)
        } else {
            reserved.insert(ticket, priority: priority)
        }
    }

    /// The slot of the first entry that is ready or reserved.
    mutating func first(in state: Element.State) -> Int? {
        while let (ticket, priority) = state == .ready ? ready.first : reserved.first {
            if slots[ticket.slot].matches(ticket, priority, in: state) { return ticket.slot }
            _ = state == .ready ? ready.popFirst() : reserved.popFirst()
        }
        return nil
    }

    /// Keeps the lists short if entries leave their states without being popped.
    mutating func removeStale() {
        if ready.needsCompaction {
            ready.removeStale { [slots] in slots[$0.slot].matches($0, $1, in: .ready) }
        }
        if reserved.needsCompaction {
            reserved.removeStale { [slots] in slots[$0.slot].matches($0, $1, in: .reserved) }
        }
    }
}
