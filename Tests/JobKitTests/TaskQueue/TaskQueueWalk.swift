import Testing

@testable import JobKit

/// A random walk of a queue's state machine, compared with a naive oracle.
///
/// The oracle checks every entry at each step.
struct TaskQueueWalk {
    private var generator: WalkGenerator
    private var machine: TaskQueueStateMachine<Int>
    private var entries: [Entry] = []
    private var nextID = 0
    private let hasJobs: Bool
    private var mostWidth: Int

    init(seed: UInt64, jobs: Bool) {
        generator = WalkGenerator(seed: seed)
        hasJobs = jobs
        mostWidth = Int.random(in: 1...4, using: &generator)
        machine = TaskQueueStateMachine(concurrencyLimit: mostWidth)
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    // MARK: Steps

    mutating func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<24: add()
        case 24..<36: makeOneReady()
        case 36..<44: changePriority()
        case 44..<62: start()
        case 62..<80: finish()
        case 80..<83: machine.isSuspended = chance(40)
        case 83..<85: changeLimit()
        case 85..<90: takeBack()
        case 90..<92: trackLate(entries.indices.randomElement(using: &generator))
        default: toggleJob()
        }
        check()
    }

    /// Continues all entries until none is left.
    ///
    /// A starved entry would stay.
    mutating func drain() {
        machine.isSuspended = false
        for index in entries.indices where !entries[index].isReady {
            entries[index].isReady = true
            machine.entryBecameReady(entries[index].slot)
        }
        while !entries.isEmpty {
            while start() { check() }
            for index in entries.indices where entries[index].isExecuting {
                setWaiting(index, hasChildren(entries[index].id))
            }
            check()
            while start() { check() }
            let ends = entries.indices.filter {
                entries[$0].isExecuting && !hasChildren(entries[$0].id)
            }
            guard let index = ends.randomElement(using: &generator) else {
                Issue.record("\(entries.count) entries are stuck")
                return
            }
            finish(index)
            check()
        }
        expect(machine.count == 0, "is empty in the end")
        expect(machine.taken == 0, "has all permits back")
        expect(!machine.remembersRequests, "forgets all requests")
    }

    private mutating func add() {
        guard entries.count < 40 else { return }
        let priority = OperationPriority.allCases.randomElement(using: &generator) ?? .normal
        let isReady = chance(60)
        let jobs = entries.filter { $0.isExecuting && !$0.isBarrier }
        let parent = hasJobs && chance(60) ? jobs.randomElement(using: &generator) : nil
        let isBarrier = parent == nil && chance(8)
        let isKnownAtOnce = chance(50)
        let slot = machine.entryAdded(
            nextID,
            priority: priority,
            isReady: isReady,
            isBarrier: isBarrier,
            job: isKnownAtOnce ? parent?.slot : nil
        )
        if let parent, !isKnownAtOnce { machine.jobsFound([parent.slot], waitingFor: slot) }
        entries.append(
            Entry(
                id: nextID,
                slot: slot,
                priority: priority,
                isBarrier: isBarrier,
                parents: parent.map { [$0.id] } ?? [],
                isReady: isReady,
                jumpsBarriers: parent != nil
            )
        )
        nextID += 1
        if chance(30) { trackLate(entries.count - 1) }
    }

    /// A job begins to wait for a queued entry, for which other jobs may also wait.
    private mutating func trackLate(_ index: Int?) {
        guard hasJobs, let index, !entries[index].isBarrier else { return }
        let id = entries[index].id
        let jobs = entries.filter {
            $0.isExecuting && !$0.isBarrier && $0.id != id && !isAncestor(id, of: $0)
        }
        guard let job = jobs.randomElement(using: &generator) else { return }
        if !entries[index].parents.contains(job.id) { entries[index].parents.append(job.id) }
        entries[index].jumpsBarriers = true
        machine.jobsFound([job.slot], waitingFor: entries[index].slot)
    }

    private mutating func makeOneReady() {
        let waiting = entries.indices.filter { !entries[$0].isReady }
        guard let index = waiting.randomElement(using: &generator) else { return }
        entries[index].isReady = true
        machine.entryBecameReady(entries[index].slot)
    }

    private mutating func changePriority() {
        guard let index = entries.indices.randomElement(using: &generator) else { return }
        let priority = OperationPriority.allCases.randomElement(using: &generator) ?? .normal
        entries[index].priority = priority
        machine.priorityChanged(entries[index].slot, to: priority)
    }

    @discardableResult private mutating func start() -> Bool {
        let startable = entries.filter(isStartable)
        guard let id = machine.next() else {
            expect(machine.isSuspended || startable.isEmpty, "starts what it could")
            return false
        }
        guard let index = entries.firstIndex(where: { $0.id == id }) else {
            Issue.record("started an entry that does not stand in the queue")
            return false
        }
        expect(!machine.isSuspended, "starts nothing while suspended")
        expect(startable.contains { $0.id == id }, "starts only what has a place")
        if !hasJobs {
            let best = startable.min {
                ($0.priority.rawValue, $0.id) < ($1.priority.rawValue, $1.id)
            }
            expect(best?.id == id, "starts the most urgent first")
        }
        entries[index].isExecuting = true
        guard let lender = machine.loans.lender(of: entries[index].slot) else {
            return true
        }
        let job = entries.first { $0.slot == lender.slot }
        if isLeft(entries[index]) { return true }
        expect(job?.isWaitingJob == true, "borrows from a job that waits")
        expect(job.map { isAncestor($0.id, of: entries[index]) } == true, "borrows from its job")
        return true
    }

    private mutating func finish() {
        let executing = entries.indices.filter { entries[$0].isExecuting }
        guard let index = executing.randomElement(using: &generator) else { return }
        // Sometimes a job does not wait for its tasks.
        guard !hasChildren(entries[index].id) || chance(15) else { return }
        finish(index)
    }

    private mutating func finish(_ index: Int) {
        let entry = entries.remove(at: index)
        expect(machine.entryFinished(entry.slot) == entries.isEmpty, "says when it is empty")
    }

    /// The start of an entry is refused or postponed.
    private mutating func takeBack() {
        let executing = entries.indices.filter {
            entries[$0].isExecuting && !hasChildren(entries[$0].id) && !entries[$0].isWaitingJob
        }
        guard let index = executing.randomElement(using: &generator) else { return }
        entries[index].isExecuting = false
        entries[index].isReady = chance(40)
        let ticket = machine.slots[entries[index].slot].ticket
        guard entries[index].isReady else { return machine.startRefused(ticket) }
        entries[index].priority =
            OperationPriority.allCases.randomElement(using: &generator) ?? .normal
        machine.startRefused(ticket, loweredTo: entries[index].priority)
    }

    /// Sometimes there is no limit.
    ///
    /// When a limit is set again, the machine treats all jobs as busy.
    private mutating func changeLimit() {
        let wasUnlimited = machine.concurrencyLimit == Int.max
        let concurrencyLimit =
            chance(20) ? Int.max : Int.random(in: 1...mostWidth, using: &generator)
        machine.limitChanged(to: concurrencyLimit)
        guard wasUnlimited, concurrencyLimit < Int.max else { return }
        for index in entries.indices { entries[index].isWaitingJob = false }
    }

    private mutating func toggleJob() {
        let jobs = entries.indices.filter {
            entries[$0].isExecuting && (entries[$0].isWaitingJob || hasChildren(entries[$0].id))
        }
        guard let index = jobs.randomElement(using: &generator) else { return }
        setWaiting(index, !entries[index].isWaitingJob)
    }

    private mutating func setWaiting(_ index: Int, _ isWaiting: Bool) {
        entries[index].isWaitingJob = isWaiting
        if isWaiting {
            machine.jobWaits(entries[index].slot)
        } else {
            machine.jobBusy(entries[index].slot)
        }
    }

    // MARK: Oracle

    private func hasChildren(_ id: Int) -> Bool { entries.contains { $0.parents.contains(id) } }

    private func isAncestor(_ id: Int, of entry: Entry) -> Bool {
        entry.parents.contains { parent in
            parent == id || entries.first { $0.id == parent }.map { isAncestor(id, of: $0) } == true
        }
    }

    /// Whether a job above the entry ended without waiting for it.
    private func isLeft(_ entry: Entry) -> Bool {
        entry.parents.contains { parent in
            entries.first { $0.id == parent }.map(isLeft) ?? true
        }
    }

    private func isUnblocked(_ entry: Entry) -> Bool {
        !entries.contains { other in
            if entry.jumpsBarriers { return false }
            if entry.isBarrier { return other.id < entry.id || other.jumpsBarriers }
            return other.isBarrier && other.id < entry.id
        }
    }

    /// Whether a permit is available for the entry: a free one, or that of a job that waits for it.
    private func isStartable(_ entry: Entry) -> Bool {
        guard entry.isReady, !entry.isExecuting, isUnblocked(entry) else { return false }
        let slot = machine.slots[entry.slot]
        if slot.state == .reserved { return true }
        if machine.taken < machine.concurrencyLimit { return true }
        return entries.contains {
            $0.isExecuting && $0.isWaitingJob && isAncestor($0.id, of: entry)
                && machine.loans.borrower(of: $0.slot) == nil
        }
    }

    private func check() {
        expect(machine.count == entries.count, "counts the entries")
        expect(machine.entries() == entries.map(\.id), "keeps the entries in order")
        let slots = machine.slots
        // Q1: entries that execute or may start have permits, except those that use a job's permit.
        let takers = entries.count {
            let slot = slots[$0.slot]
            return (slot.state == .executing || slot.state == .reserved)
                && machine.loans.lender(of: $0.slot) == nil
        }
        expect(machine.taken == takers, "counts the permits taken")
        expect(
            slots.indices.allSatisfy { index in
                let state = machine.loans.state(of: index)
                return state.isListed || !state.canLend || !state.hasRequests
            },
            "lists the jobs that can lend"
        )
        expect(
            machine.reservedCount == slots.count { $0.state == .reserved },
            "counts the loans"
        )
        var lenders: Set<Int> = []
        for entry in entries {
            let slot = slots[entry.slot]
            expect((slot.state == .executing) == entry.isExecuting, "knows who executes")
            // J12: a job has at most one borrower, and lender and borrower refer to each other.
            if let lender = machine.loans.lender(of: entry.slot) {
                expect(lenders.insert(lender.slot).inserted, "lends a place once")
                let borrower = machine.loans.borrower(of: lender.slot)
                expect(borrower == machine.slots[entry.slot].ticket, "lenders know the borrower")
            }
            if let borrower = machine.loans.borrower(of: entry.slot) {
                let lender = machine.loans.lender(of: borrower.slot)
                expect(lender == machine.slots[entry.slot].ticket, "borrowers know the lender")
            }
        }
        let ready = slots.count { $0.state == .ready }
        let actions = max(0, machine.concurrencyLimit - machine.taken)
        let startable =
            machine.isSuspended ? 0 : min(ready, actions) + machine.reservedCount
        expect(machine.startableCount == startable, "counts what can be started")
        guard ready > actions else { return }
        checkThatNoPlaceIsIdle()
        checkThatLoansAreUrgent()
    }

    /// Q2: no task waits for a permit that its job has promised to a less urgent task.
    private func checkThatLoansAreUrgent() {
        for entry in entries where machine.slots[entry.slot].state == .reserved {
            let lender = machine.loans.lender(of: entry.slot)
            let job = entries.first { $0.slot == lender?.slot }
            let more = entries.first { other in
                machine.slots[other.slot].state == .ready
                    && job.map { other.parents.contains($0.id) } == true
                    && machine.slots[other.slot].order < machine.slots[entry.slot].order
            }
            expect(more == nil, "lends to the most urgent task of a job")
        }
    }

    /// J12: checks that every permit that a job can lend is lent when permits are scarce.
    ///
    /// No entry may wait for a permit, or keep one of the queue's, if it could use that of a job.
    private func checkThatNoPlaceIsIdle() {
        let lenders = entries.filter {
            $0.isExecuting && $0.isWaitingJob && machine.loans.borrower(of: $0.slot) == nil
        }
        for entry in entries where machine.loans.lender(of: entry.slot) == nil {
            let state = machine.slots[entry.slot].state
            guard state == .ready || state == .executing else { continue }
            expect(!lenders.contains { isAncestor($0.id, of: entry) }, "lends what it can")
        }
    }

    /// Cheaper than `#expect` if nearly all checks succeed.
    private func expect(_ holds: Bool, _ rule: String) {
        if !holds { Issue.record("The machine \(rule): violated after \(nextID) entries") }
    }
}
