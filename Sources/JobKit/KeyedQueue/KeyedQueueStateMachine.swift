/// Decides which entry of a ``KeyedQueue`` is passed on next.
///
/// From the moment at which an entry is passed on until it has ended, it holds a permit of each of
/// its keys and a permit of the queue. A key with several entries has a *pool* of permits, and pool
/// 0 has the permits of the queue. A ready entry waits in the lists of its pools, but in that of
/// pool 0 only if it lacks no key. It is then *eligible*.
///
/// If a pool changes, the first entry that waits for it is evaluated again, and so are the entries
/// below jobs, which may borrow a permit or overtake others (X4).
struct KeyedQueueStateMachine<Entry, Key: Hashable>: HoldingStateMachine {
    typealias Ticket = TaskQueueTicket

    /// A permit that an entry uses.
    private struct Use: Hashable {
        let pool: Int
        let slot: Int
    }

    let limitPerKey: Int
    var isSuspended = false
    private(set) var slots = StableList<Slot>()
    private(set) var pools = StableList<Pool>()
    /// The pool of a key, or the only entry with the key, which needs no pool.
    private(set) var users: [Key: KeyUser] = [:]
    private var waitingCount = 0
    /// How many entries with several keys wait.
    ///
    /// Only such an entry can hold back others although one of its keys is free.
    private(set) var severalKeysCount = 0
    /// The pools of keys whose waiting entries must be evaluated.
    private(set) var changed: [Int] = []
    /// The pools of keys for which entries below jobs wait.
    private var poolsOfTasks: Set<Int> = []
    /// The job that has lent a permit, and the entry that has borrowed one.
    private var lenders: [Use: Int] = [:]
    private var borrowers: [Use: Int] = [:]
    private var lastSequence = 0
    private var lastTurn = 0
    /// The entries in the order passed on, including some that have ended.
    private(set) var turns = FIFO<Ticket>()

    init(limit: Int, limitPerKey: Int) {
        self.limitPerKey = limitPerKey
        pools[pools.add()].limit = limit
    }

    var limit: Int {
        get { pools[0].limit }
        set { pools[0].limit = newValue }
    }

    var count: Int { slots.count }
    var passedOnCount: Int { count - waitingCount }

    func entry(_ ticket: Ticket) -> Entry? {
        isCurrent(ticket) && isWaiting(ticket) ? slots[ticket.slot].entry : nil
    }

    func isCurrent(_ ticket: Ticket) -> Bool {
        ticket.slot < slots.endIndex && slots[ticket.slot].sequence == ticket.sequence
    }

    /// Whether the entry was not passed on.
    func isWaiting(_ ticket: Ticket) -> Bool { slots[ticket.slot].state != .passedOn }

    func ticket(_ slot: Int) -> Ticket { Ticket(sequence: slots[slot].sequence, slot: slot) }

    // MARK: Entries

    /// Adds an entry, which waits until ``entryBecameReady(_:)`` is called.
    ///
    /// It takes the `position` of another entry in the order of adding. If that is nil, it is the
    /// last.
    mutating func entryAdded(
        _ entry: Entry,
        keys: ShortList<Key> = [],
        priority: OperationPriority = .normal,
        isJob: Bool = false,
        position: Int? = nil
    ) -> Ticket {
        let slot = slots.add()
        lastSequence += 1
        slots[slot].entry = entry
        slots[slot].sequence = lastSequence
        slots[slot].position = position ?? lastSequence
        slots[slot].priority = priority
        slots[slot].state = .unready
        slots[slot].isJob = isJob
        slots[slot].keys = keys
        for key in keys { join(key, slot) }
        waits(slot, 1)
        return ticket(slot)
    }

    /// Makes an entry a user of a key.
    private mutating func join(_ key: Key, _ slot: Int) {
        let user = { (user: inout KeyUser) in user }(&users[key, default: .entry(slot)])
        switch user {
        case .entry(slot): break
        case .entry(let only):
            let pool = pools.add()
            pools[pool].key = key
            pools[pool].limit = limitPerKey
            users[key] = .pool(pool)
            if slots[only].state == .passedOn { pools[pool].taken = 1 }
            enter(pool, only)
            enter(pool, slot)
        case .pool(let pool): enter(pool, slot)
        }
    }

    private mutating func enter(_ pool: Int, _ slot: Int) {
        slots[slot].pools.append(pool)
        pools[pool].insert(slot, isHolder: slots[slot].state == .passedOn)
        if slots[slot].isReady { list(slot, in: pool) }
    }

    mutating func entryBecameReady(_ ticket: Ticket) {
        guard isCurrent(ticket), slots[ticket.slot].state == .unready else { return }
        slots[ticket.slot].state = .blocked
        list(ticket.slot)
    }

    mutating func priorityChanged(of ticket: Ticket, to priority: OperationPriority) {
        guard isCurrent(ticket), slots[ticket.slot].priority != priority else { return }
        slots[ticket.slot].priority = priority
        list(ticket.slot)
        markChanged(ticket.slot)
    }

    /// Stores the nearest jobs above an entry that are in the queue.
    mutating func jobsFound(_ jobs: [Ticket], above ticket: Ticket) {
        guard isCurrent(ticket), slots[ticket.slot].jobs != jobs else { return }
        slots[ticket.slot].jobs = jobs
        list(ticket.slot)
        if slots[ticket.slot].isJob { markTasks() }
    }

    /// Removes an entry that has ended, or that leaves without being passed on.
    mutating func entryEnded(_ ticket: Ticket) {
        guard isCurrent(ticket) else { return }
        let slot = ticket.slot
        if isWaiting(ticket) { waits(slot, -1) } else { release(slot) }
        for pool in slots[slot].pools { leave(pool, slot) }
        if slots[slot].pools.count < slots[slot].keys.count {
            for key in slots[slot].keys where users[key] == .entry(slot) {
                users.removeCompactly(key)
            }
        }
        if slots[slot].keys.count > 1 || severalKeysCount > 0 { markTasks() }
        slots.remove(slot)
        if count == 0, max(slots.endIndex, pools.endIndex) > 64 { return reset() }
        if turns.count > 2 * passedOnCount + 64 {
            turns.removeAll { [slots] in !Self.isTurn($0, slots) }
        }
    }

    /// Frees all memory, after the last of many entries has ended (X6).
    private mutating func reset() {
        var new = Self(limit: limit, limitPerKey: limitPerKey)
        (new.isSuspended, new.lastSequence, new.lastTurn) = (isSuspended, lastSequence, lastTurn)
        self = new
    }

    private mutating func leave(_ pool: Int, _ slot: Int) {
        guard pools[pool].remove(slot) else { return mark(pool) }
        if let key = pools[pool].key { users.removeCompactly(key) }
        if !poolsOfTasks.isEmpty { poolsOfTasks.remove(pool) }
        pools.remove(pool)
    }

    /// Makes an entry wait again that was not ready when it was about to be passed on.
    mutating func entryRefused(_ ticket: Ticket) {
        guard isCurrent(ticket), !isWaiting(ticket) else { return }
        let slot = ticket.slot
        release(slot)
        for pool in slots[slot].pools { pools[pool].move(slot, isHolder: false) }
        slots[slot].state = .unready
        waits(slot, 1)
        markChanged(slot)
    }

    /// Counts an entry that begins or stops waiting.
    private mutating func waits(_ slot: Int, _ change: Int) {
        waitingCount += change
        if slots[slot].keys.count > 1 { severalKeysCount += change }
    }

    // MARK: Permits

    /// The nearest job above an entry that can lend a permit of a pool.
    func lender(of pool: Int, for slot: Int) -> Int? {
        jobAbove(slot) { job in
            holds(pool, job)
                && (borrowers.isEmpty || borrowers[Use(pool: pool, slot: job)] == nil)
        }
    }

    /// Takes a permit, from a job above the entry if one can lend it.
    private mutating func take(_ pool: Int, _ slot: Int) {
        guard let lender = lender(of: pool, for: slot) else {
            pools[pool].taken += 1
            return
        }
        lenders[Use(pool: pool, slot: slot)] = lender
        borrowers[Use(pool: pool, slot: lender)] = slot
    }

    private mutating func release(_ slot: Int) {
        release(0, slot)
        for pool in slots[slot].pools { release(pool, slot) }
    }

    /// Releases a permit, unless the entry has lent it.
    private mutating func release(_ pool: Int, _ slot: Int) {
        let use = Use(pool: pool, slot: slot)
        let lender = lenders.isEmpty ? nil : lenders.removeValue(forKey: use)
        let borrower = borrowers.isEmpty ? nil : borrowers.removeValue(forKey: use)
        if let borrower { lenders[Use(pool: pool, slot: borrower)] = lender }
        if let lender { borrowers[Use(pool: pool, slot: lender)] = borrower }
        if lender == nil, borrower == nil { pools[pool].taken -= 1 }
    }

    // MARK: Lists

    /// Puts a ready entry into the lists of its keys, and evaluates it.
    private mutating func list(_ slot: Int) {
        guard slots[slot].isReady else { return }
        slots[slot].state = .blocked
        for pool in slots[slot].pools { list(slot, in: pool) }
        consider(slot)
    }

    private mutating func list(_ slot: Int, in pool: Int) {
        let ticket = Ticket(sequence: slots[slot].position, slot: slot)
        let (priority, jobs) = (slots[slot].priority, slots[slot].jobs)
        pools[pool].waiting.insert(ticket, priority: priority)
        if !jobs.isEmpty {
            let group = Group(jobs: jobs, keys: pool == 0 ? [] : slots[slot].keys)
            pools[pool].tasks[group, default: ReadyLists()].insert(ticket, priority: priority)
            if pool != 0 { poolsOfTasks.insert(pool) }
        }
        guard pools[pool].waiting.needsCompaction else { return }
        pools[pool].waiting.removeStale { [slots] in Self.waits($0, $1, in: pool, slots) }
    }

    /// Makes a blocked entry eligible if its keys are free.
    private mutating func consider(_ slot: Int) {
        guard slots[slot].state == .blocked, hasKeys(slot) else { return }
        slots[slot].state = .eligible
        list(slot, in: 0)
        // It no longer holds back others. Some of them may borrow a permit of the queue.
        if !pools[0].isFree, !poolsOfTasks.isEmpty { markChanged(slot) }
    }

    /// Whether the entry can get a permit of each of its keys now.
    private mutating func hasKeys(_ slot: Int) -> Bool {
        var isFirst = true
        for pool in slots[slot].pools where lender(of: pool, for: slot) == nil {
            guard pools[pool].isFree else { return false }
            if firstWaiting(for: pool) != slot { isFirst = false }
        }
        // A task of a job may overtake some of the entries before it. Other entries cannot.
        return isFirst || !slots[slot].jobs.isEmpty && blockers(of: slot).isEmpty
    }

    @inline(__always)
    private mutating func firstWaiting(for pool: Int) -> Int? {
        while let (ticket, priority) = pools[pool].waiting.first {
            if Self.waits(ticket, priority, in: pool, slots) { return ticket.slot }
            _ = pools[pool].waiting.popFirst()
        }
        return nil
    }

    /// The first entry of each group that waits for a pool.
    private mutating func firstTasks(for pool: Int) -> [Int] {
        guard !pools[pool].tasks.isEmpty else { return [] }
        let first = Array(pools[pool].tasks.keys)
            .compactMap { group in
                let first = pools[pool].tasks[group]?
                    .first { [slots] ticket, priority in
                        Self.waits(ticket, priority, in: pool, slots)
                            && slots[ticket.slot].jobs == group.jobs
                    }
                if first == nil { pools[pool].tasks[group] = nil }
                return first?.slot
            }
        if first.isEmpty { poolsOfTasks.remove(pool) }
        return first
    }

    // MARK: Changes

    /// Marks the pools of an entry, and those of tasks that it may hold back with other keys.
    private mutating func markChanged(_ slot: Int) {
        for pool in slots[slot].pools { mark(pool) }
        if severalKeysCount > 0 { markTasks() }
    }

    private mutating func markTasks() {
        for pool in poolsOfTasks { mark(pool) }
    }

    private mutating func mark(_ pool: Int) {
        guard pools[pool].waiting.count > 0, !pools[pool].isChanged else { return }
        pools[pool].isChanged = true
        changed.append(pool)
    }

    /// Evaluates the entries that wait for a pool.
    private mutating func resolve(_ pool: Int) {
        guard pool < pools.endIndex else { return }
        pools[pool].isChanged = false
        if let first = firstWaiting(for: pool) { consider(first) }
        for task in firstTasks(for: pool) { consider(task) }
    }

    // MARK: Passing on

    /// Takes the next entry that may be passed on, or returns nil if there is none.
    mutating func next(
        at now: CoarseTime.RawValue = 0
    ) -> (entry: Entry, ticket: Ticket, priority: OperationPriority)? {
        while !isSuspended {
            while let pool = changed.popLast() { resolve(pool) }
            guard let slot = nextEligible(), let entry = slots[slot].entry else { break }
            guard hasKeys(slot) else {
                slots[slot].state = .blocked
                continue
            }
            take(0, slot)
            for pool in slots[slot].pools {
                take(pool, slot)
                pools[pool].move(slot, isHolder: true)
            }
            waits(slot, -1)
            lastTurn += 1
            slots[slot].state = .passedOn
            slots[slot].turn = lastTurn
            slots[slot].passedOnAt = now
            turns.append(Ticket(sequence: lastTurn, slot: slot))
            markChanged(slot)
            return (entry, ticket(slot), slots[slot].priority)
        }
        return nil
    }

    /// The first eligible entry that can get a permit of the queue.
    private mutating func nextEligible() -> Int? {
        guard !pools[0].isFree else { return firstWaiting(for: 0) }
        return firstTasks(for: 0).filter { lender(of: 0, for: $0) != nil }
            .min { slots[$0].order < slots[$1].order }
    }
}
