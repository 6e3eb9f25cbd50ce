/// Decides which entry of an outbox is performed next.
///
/// The machine changes only after the change was written, so a failed write has no effect. The only
/// exceptions are decisions that are not stored: an attempt that starts, and a delay that has
/// passed.
struct OutboxStateMachine: Sendable {
    typealias ID = UInt64
    typealias Number = OutboxSlots.Number
    typealias Slot = OutboxSlots.Slot
    /// An entry and the name of its key.
    typealias Entry = (slot: Slot, key: String?)

    /// The wall time and the time on the session's clock, in seconds.
    struct Time: Sendable {
        var wall = 0.0
        var clock = 0.0
    }

    /// A running attempt, whose entry may have left.
    private struct Attempt: Sendable {
        let key: Number
        /// The turn of the key before the attempt.
        let turnBefore: UInt64
    }

    let limit: Int
    private(set) var slots = OutboxSlots()
    private(set) var keys = OutboxKeys()
    private(set) var counts = OutboxCounts()
    private(set) var nextID: ID = 1
    /// The total size of all entries' records, in bytes.
    private(set) var liveBytes = 0
    /// The entries that have changed during a compaction.
    ///
    /// Nil if no compaction runs.
    var changed: Set<ID>?
    var reasons: Set<String> = []
    /// Whether no entry may begin, because writing fails or the outbox is closing.
    var isHeld = false
    private var duplicates: [SipHash.Digest: SlotList] = [:]
    private var delays = OutboxHeap<Double>()
    private var attempts: [ID: Attempt] = [:]
    private var isAloneActive = false

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { slots.count == 0 }

    /// The ids of all entries, by position.
    var ids: [ID] { slots.entries().map { slots[$0].id } }

    /// The number of running attempts, including those of removed entries.
    var activeCount: Int { attempts.count }

    func entry(_ id: ID) -> Entry? { slots.numbers[id].map { entry(at: $0) } }

    func entry(at number: Number) -> Entry {
        let slot = slots[number]
        return (slot, keys[slot.key].name)
    }

    // MARK: Turns

    /// Chooses the entry to attempt now.
    ///
    /// Nil if no attempt can start.
    mutating func nextAttempt() -> ID? {
        guard let number = readyNumber() else { return nil }
        let slot = slots[number]
        let turnBefore = keys.attemptStarted(of: slot.key)
        attempts[slot.id] = Attempt(key: slot.key, turnBefore: turnBefore)
        change(number) { $0.phase = .starting }
        if slot.progress.isAlone { isAloneActive = true }
        noteReady(slot.key)
        return slot.id
    }

    /// Whether an attempt could start now.
    mutating func canStart() -> Bool { readyNumber() != nil }

    private mutating func readyNumber() -> Number? {
        guard reasons.isEmpty, !isHeld, activeCount < limit, !isAloneActive else { return nil }
        while let key = keys.firstTurn {
            guard let number = firstReady(of: key) else {
                keys.dropFirstTurn()
                continue
            }
            return slots[number].progress.isAlone && activeCount > 0 ? nil : number
        }
        return nil
    }

    /// Returns the entry of a key that may start if only the key is considered.
    private mutating func firstReady(of key: Number) -> Number? {
        if key == OutboxKeys.none {
            while let first = keys.withoutKey.first {
                if let number = slots.numbers[first.id], isReady(number) { return number }
                _ = keys.withoutKey.popFirst()
                if let number = slots.numbers[first.id] { slots[number].isInReadyHeap = false }
            }
            return nil
        }
        guard keys[key].activeCount == 0, !keys[key].line.isEmpty else { return nil }
        let first = keys[key].line.first
        return isReady(first) ? first : nil
    }

    private func isReady(_ number: Number) -> Bool {
        let slot = slots[number]
        return slot.phase == .waiting && slot.dueAt == nil && !slot.progress.isParked
    }

    /// Gives a key a turn if it has an entry that may start.
    private mutating func noteReady(_ key: Number) {
        // For entries without a key, `firstReady(of:)` also removes those that have left.
        guard key == OutboxKeys.none || !keys[key].isInTurns else { return }
        if firstReady(of: key) != nil { keys.takeTurn(key) } else { keys.freeIfUnused(key) }
    }

    // MARK: Attempts

    /// Cancels the start of an attempt that does not begin after all.
    ///
    /// The key gets its previous turn back.
    mutating func startRefused(_ id: ID) {
        if slots.numbers[id] != nil, let attempt = attempts[id] {
            keys.giveBack(attempt.turnBefore, to: attempt.key)
        }
        attemptEnded(id)
        if let number = slots.numbers[id] { entryChanged(number) }
    }

    /// Returns the state that an entry has when its attempt begins.
    ///
    /// Nil if the attempt may no longer begin.
    func beginning(of id: ID) -> OutboxProgress? {
        guard reasons.isEmpty, !isHeld, let number = slots.numbers[id],
            slots[number].phase == .starting
        else { return nil }
        var progress = slots[number].progress
        progress.attemptBegan()
        return progress
    }

    /// Applies the beginning of an attempt, which is in the file.
    mutating func attemptBegan(_ id: ID, _ progress: OutboxProgress) {
        guard let number = slots.numbers[id] else { return }
        change(number) { slot in
            slot.phase = .performing
            slot.progress = progress
        }
    }

    /// Ends an attempt after its code has returned.
    ///
    /// Its entry may have left before.
    mutating func attemptEnded(_ id: ID) {
        guard let attempt = attempts.removeValue(forKey: id) else { return }
        if let number = slots.numbers[id] {
            change(number) { slot in
                slot.phase = .waiting
                slot.progress.flags.remove(.began)
            }
        }
        isAloneActive = false
        keys.attemptEnded(of: attempt.key)
        noteReady(attempt.key)
    }

    // MARK: Entries

    /// Adds an entry that is in the file.
    mutating func entryAdded(
        _ entry: OutboxEntryPayload,
        at location: RecordLocation,
        _ time: Time
    ) {
        for id in entry.replaced { entryLeft(id) }
        nextID = max(nextID, entry.id + 1)
        if slots.numbers[entry.id] != nil { entryLeft(entry.id) }
        let key = keys.key(named: entry.key)
        var slot = Slot(
            id: entry.id,
            position: entry.position,
            addedAt: entry.addedAt,
            progress: entry.progress,
            duplicate: entry.duplicate,
            key: key,
            location: location
        )
        if entry.error != nil { slot.errorLocation = location }
        let number = slots.insert(slot)
        liveBytes += location.size
        count(slots[number], 1)
        keys.entryAdded(number, to: key, isAside: slot.progress.isAside, &slots)
        if let duplicate = entry.duplicate {
            slots.insert(number, .duplicates, &duplicates[duplicate, default: SlotList()])
        }
        setDue(number, time)
        entryChanged(number)
    }

    /// Applies the new state of an entry, which is in the file.
    mutating func stateChanged(
        _ id: ID,
        _ progress: OutboxProgress,
        errorAt errorLocation: RecordLocation? = nil,
        at time: Time
    ) {
        guard let number = slots.numbers[id] else { return }
        let wasAside = slots[number].progress.isAside
        change(number) { slot in
            slot.progress = progress
            slot.ignoresDelay = false
            if let errorLocation { slot.errorLocation = errorLocation }
        }
        if wasAside != progress.isAside {
            let key = slots[number].key
            keys.entryAdded(number, to: key, isAside: progress.isAside, &slots)
            keys.entryLeft(number, key, isAside: wasAside, &slots)
        }
        setDue(number, time)
        entryChanged(number)
    }

    /// Delays an entry whose record could not be read, without a change in the file.
    mutating func readingFailed(_ id: ID, _ time: Time) {
        guard var progress = entry(id)?.slot.progress else { return }
        progress.readingFailed(now: time.wall)
        stateChanged(id, progress, at: time)
    }

    /// Removes an entry that has left the file.
    ///
    /// Its attempt may still run.
    mutating func entryLeft(_ id: ID) {
        guard let number = slots.numbers[id] else { return }
        count(slots[number], -1)
        let slot = slots[number]
        liveBytes -= slot.location.size
        if let duplicate = slot.duplicate, var list = duplicates[duplicate] {
            slots.remove(number, .duplicates, &list)
            duplicates[duplicate] = list.isEmpty ? nil : list
        }
        keys.entryLeft(number, slot.key, isAside: slot.progress.isAside, &slots)
        slots.remove(number)
        noteReady(slot.key)
    }

    /// Removes all entries below an id, which have left the file.
    mutating func entriesCleared(below id: ID) {
        nextID = max(nextID, id)
        for number in slots.entries() where slots[number].id < id { entryLeft(slots[number].id) }
    }

    mutating func idsUsed(below id: ID) { nextID = max(nextID, id) }

    /// Applies the locations of an entry's records in a new file.
    mutating func moved(_ id: ID, _ entry: RecordLocation, error: RecordLocation?) {
        guard let number = slots.numbers[id] else { return }
        liveBytes += entry.size - slots[number].location.size
        slots[number].location = entry
        slots[number].errorLocation = error
    }

    // MARK: Duplicates

    /// Returns the duplicates of a new entry, by position.
    func duplicates(of duplicate: SipHash.Digest) -> [Slot] {
        duplicates[duplicate].map { slots.members(.duplicates, $0).map { slots[$0] } } ?? []
    }

    // MARK: Delays

    /// Returns the time at which the next delay ends, on the session's clock.
    mutating func nextDue() -> Double? {
        while let delay = delays.first {
            if let number = slots.numbers[delay.id], slots[number].dueAt == delay.rank {
                return delay.rank
            }
            _ = delays.popFirst()
        }
        return nil
    }

    mutating func timePassed(_ time: Time) {
        while let due = nextDue(), let delay = delays.first {
            guard let number = slots.numbers[delay.id] else { return }
            guard due <= time.clock + 1e-9 || slots[number].delayedUntil <= time.wall else {
                return
            }
            _ = delays.popFirst()
            change(number) { $0.dueAt = nil }
            entryChanged(number)
        }
    }

    /// Ends the delays that follow failures and interruptions.
    mutating func delaysEnded(_ time: Time) {
        let ids = slots.numbers.filter { slots[$0.value].dueAt != nil }
        for number in ids.values where slots[number].progress.delayUntil > OutboxProgress.never {
            slots[number].ignoresDelay = true
            setDue(number, time)
            entryChanged(number)
        }
    }

    private mutating func setDue(_ number: Number, _ time: Time) {
        let slot = slots[number]
        let remaining = slot.progress.remaining(
            now: time.wall,
            addedAt: slot.addedAt,
            ignoresDelay: slot.ignoresDelay
        )
        let isDelayed = remaining > 0 && !slot.progress.isParked
        change(number) { $0.dueAt = isDelayed ? time.clock + remaining : nil }
        guard isDelayed else { return }
        delays.insert(OutboxRanked(rank: time.clock + remaining, id: slot.id))
        if delays.count > 64 + 2 * counts.delayed {
            let slots = slots
            delays.removeAll { delay in
                slots.numbers[delay.id].map { slots[$0].dueAt != delay.rank } ?? true
            }
        }
    }

    /// Updates the turns after an entry may have become ready or stopped being ready.
    private mutating func entryChanged(_ number: Number) {
        let slot = slots[number]
        if slot.key == OutboxKeys.none, isReady(number), !slot.isInReadyHeap {
            slots[number].isInReadyHeap = true
            keys.withoutKey.insert(OutboxRanked(rank: slot.position, id: slot.id))
        }
        noteReady(slot.key)
    }

    // MARK: Counts

    private mutating func change(_ number: Number, _ body: (inout Slot) -> Void) {
        count(slots[number], -1)
        body(&slots[number])
        count(slots[number], 1)
    }

    private mutating func count(_ slot: Slot, _ change: Int) {
        changed?.insert(slot.id)
        if slot.phase == .performing {
            counts.performing += change
        } else if slot.progress.isParked {
            counts.parked += change
        } else if slot.dueAt != nil {
            counts.delayed += change
        } else {
            counts.waiting += change
        }
    }
}
