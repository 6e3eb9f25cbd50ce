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

    struct Slot: Sendable {
        var id: UInt64
        /// The entry's position in the order.
        ///
        /// It is equal to the id, unless the entry has taken over the position of another one.
        var position: UInt64
        var addedAt: Double
        var key: Number
        var progress: OutboxProgress
        var duplicate: SipHash.Digest?
        var place: RecordIndex.Place
        /// The offset of the record with the latest error.
        ///
        /// 0 if there was none.
        var errorOffset = 0
        var phase = Phase.waiting
        /// Whether ``JobOutbox/retryNow()`` has ended the delay of a failure.
        var ignoresDelay = false
        /// When the entry is due, on the session's clock.
        ///
        /// Nil if the entry is not delayed.
        var dueAt: Double?
        var isInReadyHeap = false
    }

    private(set) var numbers: [UInt64: Number] = [:]
    private var slots: [Slot] = []
    private var free: [Number] = []
    /// The list of all entries.
    private(set) var all = SlotList()
    private var allLinks = SlotLinks()
    private var lineLinks = SlotLinks()
    private var duplicateLinks = SlotLinks()

    var count: Int { numbers.count }

    subscript(number: Number) -> Slot {
        _read { yield slots[Int(number)] }
        _modify { yield &slots[Int(number)] }
    }

    mutating func insert(_ slot: Slot) -> Number {
        let number: Number
        if let reused = free.popLast() {
            number = reused
            slots[Int(number)] = slot
        } else {
            number = Number(slots.count)
            slots.append(slot)
        }
        numbers[slot.id] = number
        allLinks.insert(number, into: &all, of: slots)
        return number
    }

    mutating func remove(_ number: Number) {
        allLinks.remove(number, from: &all)
        numbers[slots[Int(number)].id] = nil
        slots[Int(number)].id = 0
        free.append(number)
        if numbers.isEmpty, slots.count > 1_000 { self = OutboxSlots() }
    }

    mutating func insert(_ number: Number, intoLine line: inout SlotList) {
        lineLinks.insert(number, into: &line, of: slots)
    }

    mutating func remove(_ number: Number, fromLine line: inout SlotList) {
        lineLinks.remove(number, from: &line)
    }

    mutating func insert(_ number: Number, intoDuplicates list: inout SlotList) {
        duplicateLinks.insert(number, into: &list, of: slots)
    }

    mutating func remove(_ number: Number, fromDuplicates list: inout SlotList) {
        duplicateLinks.remove(number, from: &list)
    }

    /// Returns all entries by position.
    func entries(limit: Int = .max) -> [Number] { allLinks.members(of: all, limit) }

    /// Returns the entries of a line by position.
    func line(_ line: SlotList, limit: Int = .max) -> [Number] {
        lineLinks.members(of: line, limit)
    }

    /// Returns the duplicates in a list by position.
    func duplicates(_ list: SlotList) -> [Number] { duplicateLinks.members(of: list, .max) }
}

/// The first and the last slot of a list.
struct SlotList: Sendable {
    fileprivate(set) var first: OutboxSlots.Number = -1
    fileprivate(set) var last: OutboxSlots.Number = -1

    var isEmpty: Bool { first < 0 }
}

/// The links of one kind of list, for all slots.
private struct SlotLinks: Sendable {
    private struct Links: Sendable {
        var previous: OutboxSlots.Number = -1
        var next: OutboxSlots.Number = -1
    }

    private var links: [Links] = []

    /// Adds an entry by its position, usually at the end.
    mutating func insert(
        _ number: OutboxSlots.Number,
        into list: inout SlotList,
        of slots: [OutboxSlots.Slot]
    ) {
        while links.count <= Int(number) { links.append(Links()) }
        let position = slots[Int(number)].position
        var previous = list.last
        while previous >= 0, slots[Int(previous)].position > position {
            previous = links[Int(previous)].previous
        }
        let next = previous >= 0 ? links[Int(previous)].next : list.first
        links[Int(number)] = Links(previous: previous, next: next)
        if previous >= 0 { links[Int(previous)].next = number } else { list.first = number }
        if next >= 0 { links[Int(next)].previous = number } else { list.last = number }
    }

    mutating func remove(_ number: OutboxSlots.Number, from list: inout SlotList) {
        let ends = links[Int(number)]
        if ends.previous >= 0 {
            links[Int(ends.previous)].next = ends.next
        } else {
            list.first = ends.next
        }
        if ends.next >= 0 {
            links[Int(ends.next)].previous = ends.previous
        } else {
            list.last = ends.previous
        }
    }

    func members(of list: SlotList, _ limit: Int) -> [OutboxSlots.Number] {
        var members: [OutboxSlots.Number] = []
        var number = list.first
        while number >= 0, members.count < limit {
            members.append(number)
            number = links[Int(number)].next
        }
        return members
    }
}
