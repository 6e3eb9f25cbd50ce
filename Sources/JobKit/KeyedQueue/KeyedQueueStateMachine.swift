/// Decides which entry of a ``KeyedQueue`` is passed on next.
///
/// From the moment at which an entry is passed on until it has ended, it holds a permit of each of
/// its keys and a permit of the queue (`place`). All permits belong to *lanes*: each key has a
/// lane, and lane 0 has the permits of the queue. An entry that waits for a key holds back later
/// entries that need it. However, an entry that waits only for a permit of the queue holds back no
/// other.
///
/// - An entry that is ready and lacks a key is *blocked*. It is in the list of each of its lanes.
/// - An entry that lacks only a permit of the queue is *eligible*. It is in the list of lane 0.
/// - If a lane changes, its first blocked entry is evaluated again, and so are the entries to which
///   a job above them may lend.
struct KeyedQueueStateMachine<Entry, Key: Hashable>: HoldingStateMachine {
    typealias Ticket = TaskQueueTicket

    let limitPerKey: Int
    var isSuspended = false
    private(set) var slots: ContiguousArray<Slot> = []
    private(set) var lanes: ContiguousArray<Lane>
    private(set) var laneOfKey: [Key: Int] = [:]
    private(set) var count = 0
    private(set) var waitingCount = 0
    private(set) var jobCount = 0
    private var vacantSlots: [Int] = []
    private var vacantLanes: [Int] = []
    /// The lanes that have changed since they were last evaluated.
    private var changed: [Int] = []
    /// The lanes for which entries below jobs wait.
    private var taskLanes: Set<Int> = []
    private var lastSequence = 0
    private var lastTurn = 0
    /// How many entries with several keys wait.
    ///
    /// The entry that holds one of them back may be in any lane.
    private var severalKeysCount = 0
    private var isPassingOn = false

    init(limit: Int, limitPerKey: Int) {
        self.limitPerKey = limitPerKey
        lanes = [Lane(key: nil, limit: limit)]
    }

    var isIdle: Bool { waitingCount == 0 && !isPassingOn }

    var limit: Int {
        get { lanes[0].limit }
        set { lanes[0].limit = newValue }
    }

    func entry(_ ticket: Ticket) -> Entry? {
        isCurrent(ticket) && slots[ticket.slot].state != .passedOn ? slots[ticket.slot].entry : nil
    }

    func isCurrent(_ ticket: Ticket) -> Bool {
        slots[ticket.slot].sequence == ticket.sequence && slots[ticket.slot].state != .vacant
    }

    func ticket(_ slot: Int) -> Ticket { Ticket(sequence: slots[slot].sequence, slot: slot) }

    // MARK: Entries

    /// Adds an entry, which waits until ``entryBecameReady(_:)`` is called.
    ///
    /// It takes the `position` of another entry in the order of adding. If that is nil, it is the
    /// last.
    mutating func entryAdded(
        _ entry: Entry,
        keys: [Key] = [],
        priority: TaskPriority = .normal,
        isJob: Bool = false,
        position: Int? = nil
    ) -> Ticket {
        let slot = vacantSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        lastSequence += 1
        slots[slot].entry = entry
        slots[slot].sequence = position ?? lastSequence
        slots[slot].priority = priority
        slots[slot].state = .unready
        slots[slot].isJob = isJob
        count += 1
        waitingCount += 1
        if isJob { jobCount += 1 }
        let ticket = ticket(slot)
        if !keys.isEmpty { slots[slot].keys = keys.map { Permit(lane: join(ticket, $0)) } }
        if keys.count > 1 { severalKeysCount += 1 }
        return ticket
    }

    private mutating func join(_ ticket: Ticket, _ key: Key) -> Int {
        let known = laneOfKey[key]
        let lane = known ?? vacantLanes.popLast() ?? lanes.count
        if known == nil {
            laneOfKey[key] = lane
            if lane == lanes.count {
                lanes.append(Lane(key: key, limit: limitPerKey))
            } else {
                lanes[lane].key = key
            }
        }
        lanes[lane].append(ticket)
        return lane
    }

    mutating func entryBecameReady(_ ticket: Ticket) {
        guard isCurrent(ticket), slots[ticket.slot].state == .unready else { return }
        block(ticket.slot)
    }

    mutating func priorityChanged(of ticket: Ticket, to priority: TaskPriority) {
        guard isCurrent(ticket), slots[ticket.slot].priority != priority else { return }
        slots[ticket.slot].priority = priority
        guard slots[ticket.slot].state == .blocked || slots[ticket.slot].state == .eligible else {
            return
        }
        block(ticket.slot)
        markChanged(ticket.slot)
    }

    /// Stores the nearest jobs above an entry that are in the queue.
    mutating func jobsFound(_ jobs: [Ticket], above ticket: Ticket) {
        guard isCurrent(ticket), slots[ticket.slot].jobs != jobs else { return }
        slots[ticket.slot].jobs = jobs
        if slots[ticket.slot].state == .blocked || slots[ticket.slot].state == .eligible {
            block(ticket.slot)
        }
        // The entry may itself be a job above others.
        markTaskLanes()
    }

    mutating func entryEnded(_ ticket: Ticket) {
        guard isCurrent(ticket) else { return }
        let slot = ticket.slot
        markChanged(slot)
        if slots[slot].state == .passedOn { giveBack(slot) } else { waits(slot, -1) }
        for permit in slots[slot].keys { leave(permit.lane) }
        if slots[slot].isJob { jobCount -= 1 }
        slots[slot] = Slot()
        vacantSlots.append(slot)
        count -= 1
    }

    private mutating func leave(_ lane: Int) {
        lanes[lane].memberCount -= 1
        if lanes[lane].memberCount == 0, let key = lanes[lane].key {
            laneOfKey[key] = nil
            let change = lanes[lane].change
            lanes[lane] = Lane(key: nil, limit: limitPerKey)
            lanes[lane].change = change
            taskLanes.remove(lane)
            vacantLanes.append(lane)
        } else if lanes[lane].members.count > 2 * lanes[lane].memberCount + 8 {
            lanes[lane].members
                .removeAll { [slots] ticket in
                    slots[ticket.slot].sequence != ticket.sequence
                }
        }
    }

    mutating func entryRefused(_ ticket: Ticket) {
        guard isCurrent(ticket), slots[ticket.slot].state == .passedOn else { return }
        giveBack(ticket.slot)
        markChanged(ticket.slot)
        slots[ticket.slot].state = .unready
        waits(ticket.slot, 1)
    }

    /// Counts an entry that begins or stops waiting.
    private mutating func waits(_ slot: Int, _ change: Int) {
        waitingCount += change
        if slots[slot].keys.count > 1 { severalKeysCount += change }
    }

    /// Releases the permits of an entry.
    ///
    /// If it has lent one, the borrower keeps it.
    private mutating func giveBack(_ slot: Int) {
        giveBack(slots[slot].place, of: slot)
        leave(0)
        for permit in slots[slot].keys {
            giveBack(permit, of: slot)
            if lanes[permit.lane].holder == slot {
                lanes[permit.lane].holder = lanes[permit.lane].holders.popLast()
            } else {
                lanes[permit.lane].holders.removeAll { $0 == slot }
            }
        }
    }

    private mutating func giveBack(_ permit: Permit, of slot: Int) {
        let (lane, lender, borrower) = (permit.lane, permit.lender, permit.borrower)
        if let borrower { change(lane, of: borrower) { $0.lender = lender } }
        if let lender { change(lane, of: lender) { $0.borrower = borrower } }
        if lender == nil, borrower == nil { lanes[lane].taken -= 1 }
        change(lane, of: slot) { ($0.lender, $0.borrower) = (nil, nil) }
    }

    // MARK: Lists

    /// Marks an entry as blocked, and evaluates it.
    private mutating func block(_ slot: Int) {
        slots[slot].state = .blocked
        guard !consider(slot) else { return }
        for permit in slots[slot].keys { list(slot, in: permit.lane) }
    }

    /// Makes a blocked entry eligible if its keys are free.
    private mutating func consider(_ slot: Int) -> Bool {
        guard hasKeys(slot) else { return false }
        slots[slot].state = .eligible
        list(slot, in: 0)
        // It no longer holds back other entries. Some of them may get a permit of the queue by a
        // loan.
        if !lanes[0].isFree, !taskLanes.isEmpty { markChanged(slot, .tasks) }
        return true
    }

    private mutating func list(_ slot: Int, in lane: Int) {
        let (ticket, priority) = (ticket(slot), slots[slot].priority)
        lanes[lane].waiting.insert(ticket, priority: priority)
        for job in slots[slot].jobs where isCurrent(job) {
            lanes[lane].tasks[job.sequence, default: ReadyLists()]
                .insert(ticket, priority: priority)
            taskLanes.insert(lane)
        }
        guard lanes[lane].waiting.isCrowded else { return }
        let state: State = lane == 0 ? .eligible : .blocked
        lanes[lane].waiting.removeVoid { [slots] in Self.holds($0, $1, state, slots) }
    }

    static func holds(
        _ ticket: Ticket,
        _ priority: TaskPriority,
        _ state: State,
        _ slots: ContiguousArray<Slot>
    ) -> Bool {
        let slot = slots[ticket.slot]
        return slot.sequence == ticket.sequence && slot.state == state && slot.priority == priority
    }

    /// The first entry that waits for a lane in a list.
    private func first(in list: inout ReadyLists, of lane: Int) -> Int? {
        while let (ticket, priority) = list.first {
            if Self.holds(ticket, priority, lane == 0 ? .eligible : .blocked, slots) {
                return ticket.slot
            }
            _ = list.popFirst()
        }
        return nil
    }

    mutating func firstWaiting(for lane: Int) -> Int? {
        var list = exchange(&lanes[lane].waiting, with: ReadyLists())
        defer { lanes[lane].waiting = list }
        return first(in: &list, of: lane)
    }

    // MARK: Changes

    private mutating func markChanged(_ slot: Int, _ change: Change = .all) {
        for permit in slots[slot].keys { mark(permit.lane, change) }
        if severalKeysCount > 0 { markTaskLanes() }
    }

    private mutating func markTaskLanes() {
        for lane in taskLanes { mark(lane, .tasks) }
    }

    private mutating func mark(_ lane: Int, _ change: Change) {
        guard lane != 0 else { return }
        if lanes[lane].change == .none { changed.append(lane) }
        if lanes[lane].change.rawValue < change.rawValue { lanes[lane].change = change }
    }

    /// Evaluates again the entries that wait for a lane.
    private mutating func resolve(_ lane: Int) {
        let change = exchange(&lanes[lane].change, with: .none)
        if change == .all, let first = firstWaiting(for: lane) { _ = consider(first) }
        forEachGroup(of: lane) { machine, slot in
            if machine.consider(slot) { return true }
            // The other tasks of the group could only borrow this permit from the same jobs, which
            // do not lend it now.
            return !machine.lanes[lane].isFree && machine.lender(of: lane, for: slot) == nil
        }
    }

    /// Visits the tasks of each job that wait for a lane, in order.
    ///
    /// If `body` returns true, the visit continues with the next job.
    private mutating func forEachGroup(
        of lane: Int,
        _ body: (inout Self, Int) -> Bool
    ) {
        guard !lanes[lane].tasks.isEmpty else { return }
        for job in lanes[lane].tasks.keys.sorted() {
            guard var list = lanes[lane].tasks.removeValue(forKey: job) else { continue }
            var passed: [Int] = []
            while let slot = first(in: &list, of: lane) {
                guard !body(&self, slot) else { break }
                _ = list.popFirst()
                passed.append(slot)
            }
            for slot in passed { list.insert(ticket(slot), priority: slots[slot].priority) }
            if first(in: &list, of: lane) != nil { lanes[lane].tasks[job] = list }
        }
        if lanes[lane].tasks.isEmpty { taskLanes.remove(lane) }
    }

    // MARK: Passing on

    mutating func claimSteps() -> Bool {
        guard !isPassingOn else { return false }
        isPassingOn = true
        return true
    }

    /// Takes the next entry for the caller that claimed the steps.
    ///
    /// If it returns nil, the claim has ended.
    mutating func nextStep(
        at now: CoarseTime.RawValue = 0
    ) -> (entry: Entry, ticket: Ticket, priority: TaskPriority)? {
        guard !isSuspended, let slot = nextSlot(), let entry = slots[slot].entry else {
            isPassingOn = false
            return nil
        }
        lastTurn += 1
        slots[slot].turn = lastTurn
        slots[slot].passedOnAt = now
        return (entry, ticket(slot), slots[slot].priority)
    }

    private mutating func nextSlot() -> Int? {
        while true {
            while let lane = changed.popLast() { resolve(lane) }
            if let slot = nextEligible() {
                if hasKeys(slot) {
                    take(slot)
                    return slot
                }
                block(slot)
            } else if changed.isEmpty {
                return nil
            }
        }
    }

    /// The first eligible entry that can get a permit of the queue.
    private mutating func nextEligible() -> Int? {
        var found = lanes[0].isFree ? firstWaiting(for: 0) : nil
        forEachGroup(of: 0) { machine, slot in
            if machine.lender(of: 0, for: slot) != nil,
                found.map({ machine.slots[slot].order < machine.slots[$0].order }) ?? true
            {
                found = slot
            }
            return true
        }
        return found
    }

    /// Makes an entry take a permit of each of its lanes.
    private mutating func take(_ slot: Int) {
        take(0, slot)
        lanes[0].append(ticket(slot))
        for permit in slots[slot].keys {
            take(permit.lane, slot)
            if lanes[permit.lane].holder == nil {
                lanes[permit.lane].holder = slot
            } else {
                lanes[permit.lane].holders.append(slot)
            }
        }
        slots[slot].state = .passedOn
        waits(slot, -1)
        markChanged(slot)
        // Entries below a job need not wait behind the entries that wait for the job's keys.
        if slots[slot].isJob || limitPerKey > 1 { markTaskLanes() }
    }

    private mutating func take(_ lane: Int, _ slot: Int) {
        let lender = lender(of: lane, for: slot)
        if let lender {
            change(lane, of: lender) { $0.borrower = slot }
        } else {
            lanes[lane].taken += 1
        }
        change(lane, of: slot) { $0.lender = lender }
    }

    private mutating func change(_ lane: Int, of slot: Int, _ change: (inout Permit) -> Void) {
        guard lane != 0 else { return change(&slots[slot].place) }
        for index in slots[slot].keys.indices where slots[slot].keys[index].lane == lane {
            change(&slots[slot].keys[index])
        }
    }
}
