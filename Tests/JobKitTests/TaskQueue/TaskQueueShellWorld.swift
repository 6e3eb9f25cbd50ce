@testable import JobKit

/// A ``TaskQueueStateMachine`` limited to 1, and the threads that use it.
///
/// Each step is one acquisition of a lock or one atomic access, and another thread may run between
/// any two steps. The threads are those of the shell: workers that take and start entries, threads
/// that deliver to jobs, and threads that finish leaves from outside at any time.
struct TaskQueueShellWorld {
    /// The planned behavior of an operation.
    struct Plan {
        var parent: Int?
        /// The tasks that are tracked and queued in `main()`, and afterwards one in each callback.
        var first: [Int] = []
        var later: [Int] = []
        /// Whether a leaf finishes on another thread, perhaps before its `main()`.
        var finishesOutside = false
        /// Whether the job of a leaf does not wait for it.
        var isLeft = false
        var isJob: Bool { !first.isEmpty || !later.isEmpty }
    }

    fileprivate struct Operation: Hashable {
        var slot = -1
        var isStarted = false
        var finishIsCalled = false
        var isFinished = false
        // Used for jobs only.
        var laterCount = 0
        var openCount = 0
        var signals = 1
        var message = 0
        var hasEnded = false
    }

    fileprivate enum Step: Hashable {
        case take
        case start(Int)
        case enterMain(Int)
        case finishOutside(Int)
        case setFinished(Int)
        case tell(Int)
        case giveAway(Int)
        case add(Int)
        case findLenders(Int)
        case lendersFound(Int, [Int])
        case mainReturned(Int)
        case claim(Int)
        case busy(Int)
        case look(Int)
        case deliver(Int, seen: Int)
        case waits(Int)
    }

    /// A mistake that the search must find.
    enum Mistake { case none, givesPlaceAwayBeforeTheFinish }

    private typealias Machine = TaskQueueStateMachine<Int>

    private let plans: [Plan]
    private let mistake: Mistake
    private var machine = Machine(concurrencyLimit: 1)
    private var operations: [Operation]
    /// The remaining steps of each thread, in which the next step is last.
    ///
    /// The workers come first.
    private var threads: [[Step]]
    private(set) var broken: String?

    /// - Parameters:
    ///   - plans: The operations. Those without a parent are in the queue.
    ///   - mistake: The mistake that the shell makes.
    init(_ plans: [Plan], mistake: Mistake = .none) {
        self.plans = plans
        self.mistake = mistake
        operations = plans.map { _ in Operation() }
        threads = [[.take], [.take]]
        for (index, plan) in plans.enumerated() where plan.parent == nil {
            threads.append([.add(index)])
        }
        threads += plans.indices.filter { plans[$0].finishesOutside }.map { [.finishOutside($0)] }
    }

    /// The threads that can continue.
    var movable: [Int] {
        threads.indices.filter { thread in
            switch threads[thread].last {
            case nil: false
            case .take: machine.startableCount > 0
            case .finishOutside(let leaf): operations[leaf].slot >= 0
            default: true
            }
        }
    }

    /// The violation in a world in which no thread can continue.
    var brokenAtTheEnd: String? {
        guard operations.allSatisfy(\.isFinished) else { return "hangs" }
        return machine.count == 0 && machine.taken == 0 ? nil : "keeps a permit"
    }

    /// Takes one step of a thread.
    mutating func step(_ thread: Int) {
        guard let step = threads[thread].popLast() else { return }
        let next = perform(step, of: thread)
        threads[thread] += next.reversed()
        if thread < 2, threads[thread].isEmpty { threads[thread] = [.take] }
        check()
    }

    private mutating func perform(_ step: Step, of thread: Int) -> [Step] {
        switch step {
        case .take:
            return machine.next().map { [.start($0)] } ?? []
        case .start(let index):
            operations[index].isStarted = true
            guard !plans[index].isJob else {
                return plans[index].first.map { .add($0) } + [.mainReturned(index)]
            }
            guard !operations[index].finishIsCalled else { return end(of: index) }
            return [.enterMain(index)]
        case .enterMain(let index):
            // Otherwise another thread performs the end, and this one only releases its reference.
            return plans[index].finishesOutside ? [] : end(of: index)
        case .finishOutside(let index):
            operations[index].finishIsCalled = true
            return operations[index].isStarted ? end(of: index) : []
        case .setFinished(let index):
            operations[index].isFinished = true
            return []
        case .tell(let index):
            guard let parent = plans[index].parent, !plans[index].isLeft else { return [] }
            operations[parent].message += 1
            return [.claim(parent)]
        case .giveAway(let index):
            if operations[index].slot >= 0 { _ = machine.entryFinished(operations[index].slot) }
            operations[index].slot = -1
            return []
        default:
            return performOfJob(step, of: thread)
        }
    }

    private func end(of index: Int) -> [Step] {
        mistake == .givesPlaceAwayBeforeTheFinish
            ? [.giveAway(index), .setFinished(index), .tell(index)]
            : [.setFinished(index), .tell(index), .giveAway(index)]
    }

    private mutating func performOfJob(_ step: Step, of thread: Int) -> [Step] {
        switch step {
        case .add(let index):
            if let parent = plans[index].parent, !plans[index].isLeft {
                operations[parent].openCount += 1
            }
            operations[index].slot = machine.entryAdded(index)
            return [.findLenders(index)]
        case .findLenders(let index):
            return nearestJob(above: index).map { [.lendersFound(index, [$0])] } ?? []
        case .lendersFound(let index, let jobs):
            let slots = jobs.map { operations[$0].slot }.filter { $0 >= 0 }
            if operations[index].slot >= 0, !slots.isEmpty {
                machine.jobsFound(slots, waitingFor: operations[index].slot)
            }
            return []
        case .mainReturned(let job):
            operations[job].signals = 0
            return [.claim(job)]
        case .claim(let job):
            guard !operations[job].hasEnded else { return [] }
            operations[job].signals += 1
            guard operations[job].signals == 1 else { return [] }
            // The thread that claims the delivery reports it before any delivery begins.
            return [.busy(job), .look(job)]
        case .busy(let job):
            if operations[job].slot >= 0 { machine.jobBusy(operations[job].slot) }
            return []
        case .look(let job):
            // The claiming thread delivers itself or runs during the delivery, in any order.
            threads.append([.deliver(job, seen: operations[job].signals)])
            return []
        case .deliver(let job, let seen):
            return deliver(job, seen)
        case .waits(let job):
            // More finished tasks may have arrived in the meantime.
            guard operations[job].signals == 0, operations[job].slot >= 0 else { return [] }
            machine.jobWaits(operations[job].slot)
            return []
        default:
            return []
        }
    }

    private mutating func deliver(_ job: Int, _ seen: Int) -> [Step] {
        if operations[job].message > 0 {
            operations[job].message -= 1
            operations[job].openCount -= 1
            let later = plans[job].later.dropFirst(operations[job].laterCount).first
            if later != nil { operations[job].laterCount += 1 }
            return (later.map { [.add($0)] } ?? []) + [.deliver(job, seen: seen)]
        }
        guard operations[job].openCount > 0 else {
            operations[job].hasEnded = true
            return end(of: job)
        }
        guard operations[job].signals == seen else {
            return [.deliver(job, seen: operations[job].signals)]
        }
        operations[job].signals = 0
        return [.waits(job)]
    }

    private func nearestJob(above index: Int) -> Int? {
        guard let parent = plans[index].parent else { return nil }
        let job = operations[parent]
        return job.isStarted && !job.isFinished && job.slot >= 0
            ? parent : nearestJob(above: parent)
    }

    // MARK: Rules

    private mutating func check() {
        let executing = operations.indices.filter {
            operations[$0].isStarted && !operations[$0].isFinished
        }
        if executing.count(where: { !plans[$0].isJob }) > 1 { broken = "two leaves execute" }
        for index in executing {
            let slot = operations[index].slot
            guard slot >= 0, machine.slots[slot].state == .executing else {
                broken = "executes without a place"
                return
            }
        }
        if machine.taken > 1 { broken = "takes two permits" }
    }

    /// The values that distinguish worlds.
    var key: Key {
        let slots = machine.slots.enumerated()
            .map { index, slot in
                let state = machine.loans.state(of: index)
                return Key.Slot(
                    entry: slot.state == .vacant ? -1 : slot.entry ?? -1,
                    state: slot.state,
                    lenders: state.lenders.map(\.sequence),
                    loan: [state.lender?.sequence, state.borrower?.sequence],
                    isWaitingJob: state.isWaitingJob,
                    hasRequestBelow: state.hasRequestBelow,
                    isListed: state.isListed,
                    sequence: slot.ticket.sequence
                )
            }
        let asking = machine.slots.indices.map { index in
            let lenderState = machine.loans.state(of: index).lenderState.value
            return [lenderState?.requests.count ?? 0, lenderState?.jobsBelow.count ?? 0]
        }
        let others = threads.dropFirst(2).filter { !$0.isEmpty }
        return Key(
            slots: slots,
            asking: asking,
            operations: operations,
            workers: Set(threads.prefix(2)),
            others: Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
        )
    }

    struct Key: Hashable {
        struct Slot: Hashable {
            let entry: Int
            let state: TaskQueueSlot<Int>.State
            let lenders: [Int]
            let loan: [Int?]
            let isWaitingJob: Bool
            let hasRequestBelow: Bool
            let isListed: Bool
            let sequence: Int
        }

        let slots: [Slot]
        let asking: [[Int]]
        fileprivate let operations: [Operation]
        fileprivate let workers: Set<[Step]>
        fileprivate let others: [[Step]: Int]
    }
}
