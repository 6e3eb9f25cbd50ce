/// Decides which entry of a ``KeyedQueue`` is passed on next.
///
/// From the moment at which an entry is passed on until it has ended, it holds a permit of each of
/// its keys and a permit of the queue. Each key has a *pool* of permits. Pool 0 has the permits of
/// the queue. An entry that waits for a key holds back later entries that need it. However, an
/// entry that waits only for a permit of the queue holds back no other.
///
/// - An entry that is ready and lacks a key is *blocked*. It is in the list of each of its pools.
/// - An entry that lacks only a permit of the queue is *eligible*. It is in the list of pool 0.
/// - If a pool changes, its first blocked entry is evaluated again, and so are the entries to which
///   a job above them may lend.
struct KeyedQueueStateMachine<Entry, Key: Hashable>: HoldingStateMachine {
    typealias Ticket = TaskQueueTicket

    enum State { case vacant, unready, blocked, eligible, passedOn }

    /// A permit that an entry uses.
    private struct Use: Hashable {
        let pool: Int
        let slot: Int
    }

    let limitPerKey: Int
    var isSuspended = false
    private(set) var slots: ContiguousArray<Slot> = []
    private(set) var pools: ContiguousArray<Pool>
    private(set) var poolOfKey: [Key: Int] = [:]
    private(set) var count = 0
    private(set) var waitingCount = 0
    private var vacantSlots: [Int] = []
    private var vacantPools: [Int] = []
    /// The pools that have changed since they were last evaluated.
    private var changed: [Int] = []
    /// The pools for which entries below jobs wait.
    private var taskPools: Set<Int> = []
    /// The job that has lent a permit, and the entry that has borrowed one.
    private var lenders: [Use: Int] = [:]
    private var borrowers: [Use: Int] = [:]
    private var lastSequence = 0
    private var lastTurn = 0
    /// How many entries with several keys wait.
    ///
    /// The entry that holds one of them back may be in any pool.
    private var severalKeysCount = 0

    init(limit: Int, limitPerKey: Int) {
        self.limitPerKey = limitPerKey
        pools = [Pool(limit: limit)]
    }

    var limit: Int {
        get { pools[0].limit }
        set { pools[0].limit = newValue }
    }

    func entry(_ ticket: Ticket) -> Entry? {
        isCurrent(ticket) && isWaiting(ticket) ? slots[ticket.slot].entry : nil
    }

    func isCurrent(_ ticket: Ticket) -> Bool {
        ticket.slot < slots.count && slots[ticket.slot].sequence == ticket.sequence
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
        keys: [Key] = [],
        priority: OperationPriority = .normal,
        isJob: Bool = false,
        position: Int? = nil
    ) -> Ticket {
        let slot = vacantSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        lastSequence += 1
        slots[slot].entry = entry
        slots[slot].sequence = lastSequence
        slots[slot].position = position ?? lastSequence
        slots[slot].priority = priority
        slots[slot].state = .unready
        slots[slot].isJob = isJob
        if !keys.isEmpty { slots[slot].pools = keys.map { join(slot, $0) } }
        count += 1
        waits(slot, 1)
        return ticket(slot)
    }

    private mutating func join(_ slot: Int, _ key: Key) -> Int {
        let vacant = vacantPools.last ?? pools.count
        let pool = { (pool: inout Int) in pool }(&poolOfKey[key, default: vacant])
        if pool == pools.count {
            pools.append(Pool(key: key, limit: limitPerKey))
        } else if pools[pool].member == nil {
            vacantPools.removeLast()
            pools[pool].key = key
        } else {
            pools[pool].otherMembers.insert(slot)
            return pool
        }
        pools[pool].member = slot
        return pool
    }

    mutating func entryBecameReady(_ ticket: Ticket) {
        if isCurrent(ticket), slots[ticket.slot].state == .unready { block(ticket.slot) }
    }

    mutating func priorityChanged(of ticket: Ticket, to priority: OperationPriority) {
        guard isCurrent(ticket), slots[ticket.slot].priority != priority else { return }
        slots[ticket.slot].priority = priority
        reevaluate(ticket.slot)
        markChanged(ticket.slot)
    }

    /// Stores the nearest jobs above an entry that are in the queue.
    mutating func jobsFound(_ jobs: [Ticket], above ticket: Ticket) {
        guard isCurrent(ticket), slots[ticket.slot].jobs != jobs else { return }
        slots[ticket.slot].jobs = jobs
        reevaluate(ticket.slot)
        // The entry may itself be a job above others.
        markTasks()
    }

    /// Removes an entry that has ended, or that leaves without being passed on.
    mutating func entryEnded(_ ticket: Ticket) {
        guard isCurrent(ticket) else { return }
        let slot = ticket.slot
        markChanged(slot)
        if isWaiting(ticket) { waits(slot, -1) } else { release(slot) }
        for pool in slots[slot].pools { leave(pool, slot) }
        slots[slot] = Slot()
        vacantSlots.append(slot)
        count -= 1
        if count == 0, slots.count > Self.mostVacant { removeVacant() }
    }

    /// How many vacant slots a queue without entries keeps.
    private static var mostVacant: Int { 64 }

    /// Frees the memory of many keys, after the last entry has ended (X6).
    private mutating func removeVacant() {
        (slots, pools, poolOfKey) = ([], [Pool(limit: limit)], [:])
        (vacantSlots, vacantPools, changed, taskPools) = ([], [], [], [])
    }

    private mutating func leave(_ pool: Int, _ slot: Int) {
        guard pools[pool].member == slot else {
            pools[pool].otherMembers.remove(slot)
            return
        }
        pools[pool].member = pools[pool].otherMembers.popFirst()
        guard pools[pool].member == nil, let key = pools[pool].key else { return }
        poolOfKey[key] = nil
        pools[pool].key = nil
        vacantPools.append(pool)
        guard pools[pool].waiting.count > 0 || !pools[pool].tasks.isEmpty else { return }
        taskPools.remove(pool)
        pools[pool] = Pool(limit: limitPerKey, change: pools[pool].change)
    }

    /// Makes an entry wait again that was not ready when it was about to be passed on.
    mutating func entryRefused(_ ticket: Ticket) {
        guard isCurrent(ticket), !isWaiting(ticket) else { return }
        release(ticket.slot)
        markChanged(ticket.slot)
        slots[ticket.slot].state = .unready
        waits(ticket.slot, 1)
    }

    /// Counts an entry that begins or stops waiting.
    private mutating func waits(_ slot: Int, _ change: Int) {
        waitingCount += change
        if slots[slot].pools.count > 1 { severalKeysCount += change }
    }

    // MARK: Permits

    /// Takes a permit of the queue and of each key, from a job above the entry if one can lend it.
    private mutating func take(_ slot: Int) {
        take(0, slot)
        for pool in slots[slot].pools { take(pool, slot) }
        slots[slot].state = .passedOn
        waits(slot, -1)
        markChanged(slot)
        // Entries below a job need not wait behind the entries that wait for the job's keys.
        if slots[slot].isJob || limitPerKey > 1 { markTasks() }
    }

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

    /// The nearest job above an entry that can lend a permit of a pool.
    func lender(of pool: Int, for slot: Int) -> Int? {
        jobAbove(slot) { job in
            holds(pool, job)
                && (borrowers.isEmpty || borrowers[Use(pool: pool, slot: job)] == nil)
        }
    }

    // MARK: Lists

    private mutating func reevaluate(_ slot: Int) {
        if slots[slot].state == .blocked || slots[slot].state == .eligible { block(slot) }
    }

    /// Marks an entry as blocked, and evaluates it.
    private mutating func block(_ slot: Int) {
        slots[slot].state = .blocked
        guard !consider(slot) else { return }
        for pool in slots[slot].pools { list(slot, in: pool) }
    }

    /// Makes a blocked entry eligible if its keys are free.
    private mutating func consider(_ slot: Int) -> Bool {
        guard hasKeys(slot) else { return false }
        slots[slot].state = .eligible
        list(slot, in: 0)
        // It no longer holds back others. Some of them may borrow a permit of the queue.
        if !pools[0].isFree { markChanged(slot, .tasks) }
        return true
    }

    private mutating func list(_ slot: Int, in pool: Int) {
        let ticket = Ticket(sequence: slots[slot].position, slot: slot)
        let (priority, jobs) = (slots[slot].priority, slots[slot].jobs)
        pools[pool].waiting.insert(ticket, priority: priority)
        if !jobs.isEmpty {
            let group = Group(jobs: jobs, pools: pool == 0 ? [] : slots[slot].pools)
            pools[pool].tasks[group, default: ReadyLists()].insert(ticket, priority: priority)
            taskPools.insert(pool)
        }
        guard pools[pool].waiting.needsCompaction else { return }
        pools[pool].waiting.removeStale { [slots] in Self.waits($0, $1, in: pool, slots) }
    }

    /// Whether the entry of a ticket in the list of a pool still belongs there.
    ///
    /// These tickets have the position of their entries.
    static func waits(
        _ ticket: Ticket,
        _ priority: OperationPriority,
        in pool: Int,
        _ slots: ContiguousArray<Slot>
    ) -> Bool {
        slots[ticket.slot].position == ticket.sequence && slots[ticket.slot].priority == priority
            && slots[ticket.slot].state == (pool == 0 ? .eligible : .blocked)
    }

    mutating func firstWaiting(for pool: Int) -> Int? {
        while let (ticket, priority) = pools[pool].waiting.first {
            if Self.waits(ticket, priority, in: pool, slots) { return ticket.slot }
            _ = pools[pool].waiting.popFirst()
        }
        return nil
    }

    /// Visits the first entry of each group that waits for a pool.
    private mutating func forEachGroup(of pool: Int, _ body: (inout Self, Int) -> Void) {
        guard !pools[pool].tasks.isEmpty else { return }
        for group in Array(pools[pool].tasks.keys) {
            var list = pools[pool].tasks.removeValue(forKey: group) ?? ReadyLists()
            while let (ticket, priority) = list.first {
                if Self.waits(ticket, priority, in: pool, slots),
                    slots[ticket.slot].jobs == group.jobs
                {
                    pools[pool].tasks[group] = list
                    body(&self, ticket.slot)
                    break
                }
                _ = list.popFirst()
            }
        }
        if pools[pool].tasks.isEmpty { taskPools.remove(pool) }
    }

    // MARK: Changes

    private mutating func markChanged(_ slot: Int, _ change: Change = .all) {
        for pool in slots[slot].pools { mark(pool, change) }
        if severalKeysCount > 0 { markTasks() }
    }

    private mutating func markTasks() {
        for pool in taskPools { mark(pool, .tasks) }
    }

    private mutating func mark(_ pool: Int, _ change: Change) {
        guard pool != 0, pools[pool].waiting.count > 0 else { return }
        if pools[pool].change == .none { changed.append(pool) }
        if pools[pool].change.rawValue < change.rawValue { pools[pool].change = change }
    }

    /// Evaluates again the entries that wait for a pool.
    private mutating func resolve(_ pool: Int) {
        let change = exchange(&pools[pool].change, with: .none)
        if change == .all, let first = firstWaiting(for: pool) { _ = consider(first) }
        forEachGroup(of: pool) { machine, slot in _ = machine.consider(slot) }
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
                block(slot)
                continue
            }
            take(slot)
            lastTurn += 1
            slots[slot].turn = lastTurn
            slots[slot].passedOnAt = now
            return (entry, ticket(slot), slots[slot].priority)
        }
        return nil
    }

    /// The first eligible entry that can get a permit of the queue.
    private mutating func nextEligible() -> Int? {
        var found = pools[0].isFree ? firstWaiting(for: 0) : nil
        forEachGroup(of: 0) { machine, slot in
            guard machine.lender(of: 0, for: slot) != nil else { return }
            if let other = found, machine.slots[other].order < machine.slots[slot].order { return }
            found = slot
        }
        return found
    }
}
