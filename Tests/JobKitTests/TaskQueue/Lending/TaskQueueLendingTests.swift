import Testing

@testable import JobKit

@Suite struct TaskQueueLendingTests {
    typealias Machine = TaskQueueStateMachine<String>

    @Test func jobThatRunsItsOwnCodeLendsNothing() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        _ = machine.entryAdded("task", lenders: [job])
        #expect(machine.next() == nil)
        machine.jobWaits(job)
        #expect(machine.next() == "task")
    }

    @Test func mostUrgentOfThoseAddedMeanwhileIsLentThePermit() {  // Q2, J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        let priorities: [OperationPriority] = [.normal, .low, .veryHigh, .high, .normal]
        let tasks = priorities.map {
            machine.entryAdded("\($0)", priority: $0, lenders: [job])
        }
        machine.jobWaits(job)
        for index in [2, 3, 0, 4, 1] {
            #expect([machine.next(), machine.next()] == ["\(priorities[index])", nil])
            machine.jobBusy(job)
            _ = machine.entryFinished(tasks[index])
            machine.jobWaits(job)
        }
    }

    @Test func oneTaskAtATimeUsesTheJobsPermit() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        let first = machine.entryAdded("a", lenders: [job])
        _ = machine.entryAdded("b", lenders: [job])
        _ = machine.entryAdded("stranger", priority: .veryHigh)
        machine.jobWaits(job)
        #expect([machine.next(), machine.next()] == ["a", nil])
        _ = machine.entryFinished(first)
        #expect([machine.next(), machine.next()] == ["b", nil])
    }

    @Test func loanNotYetTakenIsTakenBack() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        machine.jobWaits(job)
        _ = machine.entryAdded("task", lenders: [job])
        #expect(machine.startableCount == 1)
        machine.jobBusy(job)
        #expect(machine.startableCount == 0)
        #expect(machine.next() == nil)
        machine.jobWaits(job)
        #expect(machine.next() == "task")
    }

    @Test func jobFarAboveIsFoundThatCouldNotLendBefore() {  // J12
        for getsLender in [false, true] {
            var (machine, stranger) = Machine.withJob(concurrencyLimit: 41)
            var jobs: [Int] = []
            for number in 0..<40 {
                jobs.append(machine.entryAdded("job \(number)", lenders: jobs.suffix(1)))
                #expect(machine.next() == "job \(number)")
            }
            machine.jobWaits(stranger)
            let task = machine.entryAdded("task", lenders: [jobs[39]])
            #expect(machine.next() == nil)
            if getsLender {
                machine.jobsFound([stranger], waitingFor: jobs[20])
            } else {
                machine.jobWaits(jobs[20])
            }
            #expect(machine.next() == "task")
            _ = machine.entryFinished(task)
        }
    }

    /// Tries every order of up to seven events in a chain of three jobs that have no free permit.
    @Test func everyOrderOfEventsInAChainLendsEveryPossiblePermit() {  // J12
        func visit(_ machine: Machine, depth: Int) {
            let lenders = (0..<3).filter { machine.loans.state(of: $0).canLend }
            let ready = machine.slots.count { $0.state == .ready }
            let isContended = ready > max(0, machine.concurrencyLimit - machine.taken)
            if isContended, !lenders.isEmpty { Issue.record("a place is idle") }
            guard depth > 0 else { return }
            for job in 0..<3 {
                var machine = machine
                if machine.loans.state(of: job).isWaitingJob {
                    machine.jobBusy(job)
                } else {
                    machine.jobWaits(job)
                }
                visit(machine, depth: depth - 1)
            }
            if machine.count < 7 {
                var machine = machine
                _ = machine.entryAdded("task", lenders: [2])
                visit(machine, depth: depth - 1)
            }
            if machine.startableCount > 0 {
                var machine = machine
                _ = machine.next()
                visit(machine, depth: depth - 1)
            }
            for slot in machine.slots.indices.dropFirst(4)
            where machine.slots[slot].state != .vacant {
                var machine = machine
                _ = machine.entryFinished(slot)
                visit(machine, depth: depth - 1)
                break
            }
        }
        var machine = Machine(concurrencyLimit: 4)
        for number in 0..<3 {
            _ = machine.entryAdded("job \(number)", lenders: number == 0 ? [] : [number - 1])
            _ = machine.next()
        }
        // An unrelated job can lend.
        let stranger = machine.entryAdded("stranger")
        _ = machine.next()
        machine.jobWaits(stranger)
        visit(machine, depth: depth(of: 7))
    }

    @Test func permitGoesThroughAChainOfJobs() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        machine.jobWaits(job)
        let nested = machine.entryAdded("nested", lenders: [job])
        #expect(machine.next() == "nested")
        machine.jobWaits(nested)
        let task = machine.entryAdded("task", lenders: [nested])
        #expect(machine.next() == "task")
        _ = machine.entryFinished(task)
        _ = machine.entryFinished(nested)
        #expect(machine.taken == 1)
        _ = machine.entryFinished(job)
        #expect(machine.taken == 0)
    }

    @Test func taskThatOutlivesItsJobKeepsThePermit() {  // Q1
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        let task = machine.entryAdded("task", lenders: [job])
        machine.jobWaits(job)
        #expect(machine.next() == "task")
        _ = machine.entryAdded("stranger")
        _ = machine.entryFinished(job)
        #expect(machine.next() == nil)
        _ = machine.entryFinished(task)
        #expect(machine.next() == "stranger")
    }

    @Test func taskTrackedLateIsLentThePermit() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        let task = machine.entryAdded("task")
        machine.jobWaits(job)
        #expect(machine.next() == nil)
        machine.jobsFound([job], waitingFor: task)
        #expect(machine.next() == "task")
    }

    @Test func jobTrackedLateBringsItsTasksWithIt() {  // J12
        var machine = Machine(concurrencyLimit: 2)
        let (outer, inner) = (machine.entryAdded("outer"), machine.entryAdded("inner"))
        #expect([machine.next(), machine.next()] == ["outer", "inner"])
        _ = machine.entryAdded("task", lenders: [inner])
        machine.jobWaits(outer)
        #expect(machine.next() == nil)
        machine.jobsFound([outer], waitingFor: inner)
        #expect(machine.next() == "task")
    }

    @Test func taskTrackedLateStartsBeforeTheBarrier() {
        var (machine, job) = Machine.withJob(concurrencyLimit: 2)
        let barrier = machine.entryAdded("barrier", isBarrier: true)
        let task = machine.entryAdded("task")
        let later = machine.entryAdded("later")
        #expect(machine.next() == nil)
        machine.jobsFound([job], waitingFor: task)
        #expect([machine.next(), machine.next()] == ["task", nil])
        _ = machine.entryFinished(task)
        _ = machine.entryFinished(job)
        #expect([machine.next(), machine.next()] == ["barrier", nil])
        _ = machine.entryFinished(barrier)
        #expect(machine.next() == "later")
        #expect(machine.entryFinished(later) == true)
    }

    @Test func moreUrgentTaskTakesALoanThatWasNotTakenYet() {  // Q2
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        machine.jobWaits(job)
        machine.isSuspended = true
        let waiting = machine.entryAdded("first added", isReady: false, lenders: [job])
        let normal = machine.entryAdded("normal", lenders: [job])
        let high = machine.entryAdded("high", priority: .high, lenders: [job])
        machine.entryBecameReady(waiting)
        let low = machine.entryAdded("low", priority: .veryHigh, lenders: [job])
        machine.priorityChanged(low, to: .veryLow)
        machine.isSuspended = false
        for (slot, name) in [(high, "high"), (waiting, "first added"), (normal, "normal")] {
            #expect([machine.next(), machine.next()] == [name, nil])
            _ = machine.entryFinished(slot)
        }
        #expect(machine.next() == "low")
    }

    /// Returns the number of tickets in all lists of a machine, including void ones.
    private func heldTickets(_ value: Any) -> Int {
        (value as? ReadyLists)?.count
            ?? Mirror(reflecting: value).children.reduce(0) { $0 + heldTickets($1.value) }
    }

    @Test func manyLoansLeaveNothingBehind() {  // J10
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        for number in 0..<2_000 {
            let task = machine.entryAdded("\(number)", lenders: [job])
            machine.jobWaits(job)
            #expect(machine.next() == "\(number)")
            machine.jobBusy(job)
            _ = machine.entryFinished(task)
        }
        #expect(heldTickets(machine) < 1_000)
    }

    @Test func requestsThatWereNotNeededAreForgotten() {  // J10
        var (machine, job) = Machine.withJob(concurrencyLimit: 2)
        let borrower = machine.entryAdded("borrower", lenders: [job])
        machine.jobWaits(job)
        #expect(machine.next() == "borrower")
        for number in 0..<2_000 {
            let task = machine.entryAdded("\(number)", lenders: [job])
            #expect(machine.next() == "\(number)")
            _ = machine.entryFinished(task)
        }
        #expect(heldTickets(machine) < 1_000)
        _ = machine.entryFinished(borrower)
    }

    /// Without a limit, nothing reports whether a job waits, so earlier reports are outdated.
    @Test func narrowedMachineForgetsWhoWaited() {  // Q1, J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 1)
        machine.jobWaits(job)
        machine.limitChanged(to: Int.max)
        let task = machine.entryAdded("task", isReady: false, lenders: [job])
        machine.limitChanged(to: 1)
        machine.entryBecameReady(task)
        #expect(machine.next() == nil)
        machine.jobWaits(job)
        #expect(machine.next() == "task")
    }

    @Test func permitServesATaskOfAJobFurtherDown() {  // J12
        var machine = Machine(concurrencyLimit: 2)
        let top = machine.entryAdded("top")
        _ = machine.next()
        machine.jobWaits(top)
        let nested = machine.entryAdded("nested", lenders: [top])
        let other = machine.entryAdded("other", lenders: [nested])
        #expect([machine.next(), machine.next()] == ["nested", "other"])
        machine.jobWaits(nested)
        let tasks = ["a", "b", "c"].map { machine.entryAdded($0, lenders: [nested]) }
        _ = machine.entryAdded("stranger")
        #expect([machine.next(), machine.next(), machine.next()] == ["a", nil, nil])
        _ = machine.entryFinished(tasks[0])
        #expect([machine.next(), machine.next()] == ["b", nil])
        _ = machine.entryFinished(other)
        #expect([machine.next(), machine.next()] == ["c", nil])
    }

    /// If each completion compared each job with every other, this would not end.
    @Test func deepJobsLookForRequestsOnce() {  // J10, J12
        var (machine, top) = Machine.withJob(concurrencyLimit: 1)
        var jobs = [top]
        var tasks: [Int] = []
        let count = length(of: 5_000)
        for number in 0..<count {
            machine.jobWaits(jobs[number])
            jobs.append(machine.entryAdded("job", lenders: [jobs[number]]))
            #expect(machine.next() == "job")
            tasks.append(machine.entryAdded("task", lenders: [jobs[number]]))
        }
        for task in tasks.dropFirst(count / 2) { _ = machine.entryFinished(task) }
        for job in jobs.reversed().dropLast(count / 2) { _ = machine.entryFinished(job) }
        for number in (0..<(count / 2)).reversed() {
            #expect([machine.next(), machine.next()] == ["task", nil])
            _ = machine.entryFinished(tasks[number])
            _ = machine.entryFinished(jobs[number])
        }
        #expect(machine.taken == 0)
        #expect(!machine.remembersRequests)
    }

    @Test(arguments: 0..<rounds(of: 40)) func randomWalkKeepsTheRules(seed: Int) {
        var walk = TaskQueueWalk(seed: UInt64(seed), jobs: true)
        for _ in 0..<800 { walk.step() }
        walk.drain()
    }

    /// Tries every order of up to seven events of a job and its two tasks, with only one permit.
    @Test func everyOrderOfEventsKeepsOnePermit() {
        enum Event: CaseIterable { case addFirst, addSecond, jobWaits, jobBusy, start, finish }
        func visit(_ machine: Machine, _ tasks: [Int?], depth: Int) {
            let executing = machine.slots.count { $0.state == .executing }
            // The macro would take most of the time.
            if executing > 2 || machine.taken != 1 { Issue.record("\(executing) execute") }
            guard depth > 0 else { return }
            for event in Event.allCases {
                var (machine, tasks) = (machine, tasks)
                switch event {
                case .addFirst where tasks[0] == nil:
                    tasks[0] = machine.entryAdded("a", lenders: [0])
                case .addSecond where tasks[1] == nil:
                    tasks[1] = machine.entryAdded("b", isReady: true, lenders: [0])
                case .jobWaits where !machine.loans.state(of: 0).isWaitingJob:
                    machine.jobWaits(0)
                case .jobBusy where machine.loans.state(of: 0).isWaitingJob:
                    machine.jobBusy(0)
                case .start where machine.startableCount > 0:
                    let isWaiting = machine.loans.state(of: 0).isWaitingJob
                    if !isWaiting || machine.next() == nil { Issue.record("nothing starts") }
                case .finish:
                    let executing = machine.slots.indices.dropFirst()
                        .first { machine.slots[$0].state == .executing }
                    guard let executing else { continue }
                    _ = machine.entryFinished(executing)
                    tasks = tasks.map { $0 == executing ? nil : $0 }
                default: continue
                }
                visit(machine, tasks, depth: depth - 1)
            }
        }
        visit(Machine.withJob(concurrencyLimit: 1).0, [nil, nil], depth: depth(of: 7))
    }
}

extension TaskQueueStateMachine {
    /// Takes the entry of ``nextStart()``.
    mutating func next() -> Entry? { nextStart()?.entry }

    /// Adds an entry, for which the caller then searches lenders.
    mutating func entryAdded(
        _ entry: Entry,
        priority: OperationPriority = .normal,
        isReady: Bool = true,
        lenders: [Int]
    ) -> Int {
        let slot = entryAdded(entry, priority: priority, isReady: isReady)
        jobsFound(lenders, waitingFor: slot)
        return slot
    }
}

extension TaskQueueStateMachine {
    /// Whether any state of a request remains after the entries have left.
    var remembersRequests: Bool {
        slots.indices.contains { !loans.state(of: $0).lenderState.isNone }
    }
}

extension TaskQueueLoans {
    func state(of slot: Int) -> TaskQueueLoanState {
        isKnown(slot) ? states[slot] : TaskQueueLoanState()
    }
}

extension TaskQueueStateMachine<String> {
    /// Returns a machine in which a job executes, and the job's slot.
    static func withJob(concurrencyLimit: Int) -> (Self, Int) {
        var machine = Self(concurrencyLimit: concurrencyLimit)
        let job = machine.entryAdded("job")
        _ = machine.next()
        return (machine, job)
    }
}
