/// The keys of an outbox, in the order of their turns.
///
/// A key waits for a turn if it has an entry that may start. The turn passes to the key that has
/// waited the longest since its last turn. Entries without a key share the turns of one key.
struct OutboxKeys: Sendable {
    typealias Number = OutboxSlots.Number

    struct Key: Sendable {
        /// The key's name.
        ///
        /// Nil for the entries without a key.
        var name: String?
        /// The key's entries by position, except those that are parked aside.
        fileprivate(set) var line = SlotList()
        fileprivate(set) var asideCount = 0
        fileprivate(set) var activeCount = 0
        fileprivate var turn: UInt64
        fileprivate(set) var isInTurns = false
    }

    /// The internal key of entries without a key.
    static let none: Number = 0

    private var numbers: [String: Number] = [:]
    private var keys = [Key(turn: 0)]
    private var free: [Number] = []
    private var turns = OutboxHeap<UInt64>()
    /// The entries without a key that may start, by position.
    var withoutKey = OutboxHeap<UInt64>()
    private var latestTurn: UInt64 = 0

    subscript(number: Number) -> Key {
        _read { yield keys[Int(number)] }
    }

    func number(of name: String?) -> Number? { name.map { numbers[$0] } ?? Self.none }

    /// Returns the key with a name, which is created if necessary.
    ///
    /// A new key has the last turn.
    mutating func key(named name: String?) -> Number {
        guard let name else { return Self.none }
        if let number = numbers[name] { return number }
        latestTurn += 1
        let key = Key(name: name, turn: latestTurn)
        let number = free.popLast() ?? Number(keys.count)
        if Int(number) == keys.count { keys.append(key) } else { keys[Int(number)] = key }
        numbers[name] = number
        return number
    }

    /// Adds an entry to the line of its key, unless it is parked aside.
    mutating func entryAdded(
        _ number: Number,
        to key: Number,
        isAside: Bool,
        _ slots: inout OutboxSlots
    ) {
        let before = keys[Int(key)]
        let isFirst = before.line.isEmpty && before.activeCount == 0 && before.asideCount == 0
        if key == Self.none, isFirst, !keys[0].isInTurns {
            latestTurn += 1
            keys[0].turn = latestTurn
        }
        if isAside { keys[Int(key)].asideCount += 1 }
        if !isAside { slots.insert(number, .line, &keys[Int(key)].line) }
    }

    mutating func entryLeft(
        _ number: Number,
        _ key: Number,
        isAside: Bool,
        _ slots: inout OutboxSlots
    ) {
        if isAside { keys[Int(key)].asideCount -= 1 }
        if !isAside { slots.remove(number, .line, &keys[Int(key)].line) }
    }

    // MARK: Turns

    /// The key that has its turn.
    var firstTurn: Number? { turns.first.map { Number($0.id) } }

    mutating func takeTurn(_ key: Number) {
        guard !keys[Int(key)].isInTurns else { return }
        keys[Int(key)].isInTurns = true
        turns.insert(OutboxRanked(rank: keys[Int(key)].turn, id: UInt64(key)))
    }

    mutating func dropFirstTurn() {
        guard let key = turns.popFirst().map({ Number($0.id) }) else { return }
        keys[Int(key)].isInTurns = false
        freeIfUnused(key)
    }

    /// Ends the turn of the first key, because its attempt starts.
    ///
    /// - Returns: The key's previous turn.
    mutating func attemptStarted(of key: Number) -> UInt64 {
        let before = keys[Int(key)].turn
        _ = turns.popFirst()
        latestTurn += 1
        keys[Int(key)].isInTurns = false
        keys[Int(key)].turn = latestTurn
        keys[Int(key)].activeCount += 1
        return before
    }

    mutating func giveBack(_ turn: UInt64, to key: Number) {
        if !keys[Int(key)].isInTurns { keys[Int(key)].turn = turn }
    }

    mutating func attemptEnded(of key: Number) { keys[Int(key)].activeCount -= 1 }

    /// Removes a key that has no entries and no attempts.
    mutating func freeIfUnused(_ number: Number) {
        let key = keys[Int(number)]
        guard let name = key.name, key.line.isEmpty, key.asideCount == 0, key.activeCount == 0,
            !key.isInTurns
        else { return }
        numbers[name] = nil
        keys[Int(number)].name = nil
        free.append(number)
    }
}
