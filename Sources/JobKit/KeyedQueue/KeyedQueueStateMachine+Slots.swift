/// The entries, and the pools of their permits.
extension KeyedQueueStateMachine {
    enum State { case vacant, unready, blocked, eligible, passedOn }

    struct Slot: Blank {
        var entry: Entry?
        var sequence = -1
        /// The number in the order of adding, which an entry may take over from another one.
        var position = -1
        var priority = OperationPriority.normal
        var state = State.vacant
        var isJob = false
        var keys = ShortList<Key>()
        /// The pools of those keys that other entries have, too.
        var pools = ShortList<Int>()
        /// The nearest jobs above the entry that are in the queue, too.
        var jobs: [Ticket] = []
        /// The number of the entry in the order passed on.
        var turn = 0
        var passedOnAt = CoarseTime.RawValue(0)

        /// Entries that were passed on come first, in that order.
        var order: (priority: Int, sequence: Int) {
            state == .passedOn ? (-1, turn) : (priority.rawValue, position)
        }

        /// Whether the entry is ready and was not passed on.
        var isReady: Bool { state == .blocked || state == .eligible }
    }

    /// Whether the entry of a ticket in the list of a pool still belongs there.
    ///
    /// These tickets have the position of their entries.
    static func waits(
        _ ticket: Ticket,
        _ priority: OperationPriority,
        in pool: Int,
        _ slots: StableList<Slot>
    ) -> Bool {
        ticket.slot < slots.endIndex && slots[ticket.slot].position == ticket.sequence
            && slots[ticket.slot].priority == priority
            && (slots[ticket.slot].state == .eligible
                || slots[ticket.slot].state == .blocked && pool != 0)
    }

    /// The permits of a key or of the queue, and the entries that wait for them.
    struct Pool: Blank {
        var key: Key?
        var limit = 0
        var taken = 0
        /// The entries that were passed on.
        private(set) var holders: Set<Int> = []
        /// The entries that were not passed on.
        private(set) var others: Set<Int> = []
        var waiting = ReadyLists()
        /// The entries of `waiting` that are below jobs.
        var tasks: [Group: ReadyLists] = [:]

        /// Whether `waiting` must be evaluated.
        var isChanged = false

        var isFree: Bool { taken < limit }

        var members: [Int] { holders + Array(others) }

        mutating func insert(_ slot: Int, isHolder: Bool) {
            if isHolder { holders.insert(slot) } else { others.insert(slot) }
        }

        /// Removes an entry, and returns whether none is left.
        @discardableResult
        mutating func remove(_ slot: Int) -> Bool {
            if holders.remove(slot) == nil { others.remove(slot) }
            return holders.isEmpty && others.isEmpty
        }

        /// Moves an entry to those that were passed on, or to the others.
        mutating func move(_ slot: Int, isHolder: Bool) {
            remove(slot)
            insert(slot, isHolder: isHolder)
        }
    }

    enum KeyUser: Equatable {
        case pool(Int)
        case entry(Int)
    }

    /// Entries below the same jobs, with the same keys.
    ///
    /// If the first must wait, so must the others.
    struct Group: Hashable {
        let jobs: [Ticket]
        let keys: ShortList<Key>
    }
}
