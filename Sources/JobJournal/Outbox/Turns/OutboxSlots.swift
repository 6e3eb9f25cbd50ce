/// The entries of an outbox in memory, each in a slot.
///
/// Each entry is in the list of all entries, the list of its key and the list of its duplicates,
/// each ordered by position. The lists are linked through the slots, so that they need no further
/// memory for an entry.
struct OutboxSlots: Sendable {
    typealias Number = Int32

    enum Phase: UInt8, Sendable {
        case waiting
        /// The entry was chosen for an attempt, and `perform` has not been called.
        case starting
        case performing
    }

    /// The order of the properties leaves few gaps: a slot takes 144 bytes.
    struct Slot: Sendable {
        var id: UInt64
        /// The entry's position in the order.
        ///
        /// It is equal to the id, unless the entry has taken over the position of another one.
        var position: UInt64
        var addedAt: Double
        var progress: OutboxProgress
        var duplicate: SipHash.Digest?
        var phase = Phase.waiting
        /// Whether ``JobOutbox/retryNow()`` has ended the delay of a failure.
        var ignoresDelay = false
        var isInReadyHeap = false
        var key: Number
        var location: RecordLocation
        /// The record with the latest error.
        var errorLocation: RecordLocation?
        /// When the entry is due, on the session's clock.
        ///
        /// Nil if the entry is not delayed.
        var dueAt: Double?

        /// The wall time at which the delay ends.
        var delayedUntil: Double {
            max(ignoresDelay ? OutboxProgress.never : progress.delayUntil, progress.notBefore)
        }
    }

    /// The lists that an entry is in, each ordered by position.
    enum List: Int, CaseIterable {
        case all
        /// The entries of a key that are not parked aside.
        case line
        case duplicates
    }

    private struct Links: Sendable {
        var previous: Number = -1
        var next: Number = -1
    }

    private(set) var numbers: [UInt64: Number] = [:]
    private var slots: [Slot] = []
    private var free: [Number] = []
    private var all = SlotList()
    private var links = List.allCases.map { _ in [Links]() }

    var count: Int { numbers.count }

    subscript(number: Number) -> Slot {
        _read { yield slots[Int(number)] }
        _modify { yield &slots[Int(number)] }
    }

    mutating func insert(_ slot: Slot) -> Number {
        let number = free.popLast() ?? Number(slots.count)
        if Int(number) == slots.count { slots.append(slot) } else { slots[Int(number)] = slot }
        numbers[slot.id] = number
        var ends = all
        insert(number, .all, &ends)
        all = ends
        return number
    }

    mutating func remove(_ number: Number) {
        var ends = all
        remove(number, .all, &ends)
        all = ends
        numbers[slots[Int(number)].id] = nil
        slots[Int(number)].id = 0
        free.append(number)
        if numbers.isEmpty, slots.count > 1_000 { self = OutboxSlots() }
    }

    /// Returns all entries by position.
    func entries(limit: Int = .max) -> [Number] { members(.all, all, limit: limit) }

    // MARK: Lists

    /// Adds an entry to a list by its position, usually at the end.
    mutating func insert(_ number: Number, _ list: List, _ ends: inout SlotList) {
        let at = list.rawValue
        while links[at].count <= Int(number) { links[at].append(Links()) }
        let position = slots[Int(number)].position
        var previous = ends.last
        while previous >= 0, slots[Int(previous)].position > position {
            previous = links[at][Int(previous)].previous
        }
        let next = previous >= 0 ? links[at][Int(previous)].next : ends.first
        links[at][Int(number)] = Links(previous: previous, next: next)
        if previous >= 0 { links[at][Int(previous)].next = number } else { ends.first = number }
        if next >= 0 { links[at][Int(next)].previous = number } else { ends.last = number }
    }

    mutating func remove(_ number: Number, _ list: List, _ ends: inout SlotList) {
        let at = list.rawValue
        let (previous, next) = (links[at][Int(number)].previous, links[at][Int(number)].next)
        if previous >= 0 { links[at][Int(previous)].next = next } else { ends.first = next }
        if next >= 0 { links[at][Int(next)].previous = previous } else { ends.last = previous }
    }

    /// Returns the entries in a list by position.
    func members(_ list: List, _ ends: SlotList, limit: Int = .max) -> [Number] {
        var members: [Number] = []
        var number = ends.first
        while number >= 0, members.count < limit {
            members.append(number)
            number = links[list.rawValue][Int(number)].next
        }
        return members
    }
}

/// The first and the last slot of a list.
struct SlotList: Sendable {
    var first: OutboxSlots.Number = -1
    var last: OutboxSlots.Number = -1

    var isEmpty: Bool { first < 0 }
}
