import Testing

@testable import JobKit

/// Tasks that take a free permit of the queue first, and request a loan later.
@Suite struct PermitMovesTests {
    typealias Machine = TaskQueueStateMachine<String>

    @Test func taskTakesAFreePermitAndMovesToALoanWhenAnotherNeedsIt() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 2)
        let task = machine.entryAdded("task", lenders: [job])
        machine.jobWaits(job)
        #expect(machine.next() == "task")
        #expect(machine.taken == 2)
        #expect(machine.loans.borrower(of: job) == nil)
        let stranger = machine.entryAdded("stranger")
        #expect(machine.loans.lender(of: task)?.slot == job)
        #expect([machine.next(), machine.next()] == ["stranger", nil])
        #expect(machine.taken == 2)
        _ = machine.entryFinished(task)
        _ = machine.entryFinished(stranger)
        #expect(machine.taken == 1)
    }

    @Test func taskOfABusyJobMovesAsSoonAsTheJobWaits() {  // J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 2)
        let task = machine.entryAdded("task", lenders: [job])
        _ = machine.entryAdded("stranger")
        #expect([machine.next(), machine.next()] == ["task", nil])
        machine.jobWaits(job)
        #expect(machine.loans.lender(of: task)?.slot == job)
        #expect(machine.next() == "stranger")
    }

    @Test func machineWithALowerLimitLendsTheNeededPermits() {  // Q4, J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 3)
        let task = machine.entryAdded("task", lenders: [job])
        machine.jobWaits(job)
        _ = machine.entryAdded("stranger")
        #expect(machine.loans.borrower(of: job) == nil)
        machine.limitChanged(to: 2)
        #expect(machine.startableCount == 2)
        machine.limitChanged(to: 1)
        #expect(machine.loans.borrower(of: job)?.slot == task)
        #expect([machine.next(), machine.next()] == ["task", nil])
    }

    /// A job ends while a task of two jobs uses its permit, so the other job's permit is available.
    @Test func taskThatOutlivesOneOfItsJobsMovesToTheOther() {  // J12
        var machine = Machine(concurrencyLimit: 2)
        let jobs = ["a", "b"].map { machine.entryAdded($0) }
        #expect([machine.next(), machine.next()] == ["a", "b"])
        let task = machine.entryAdded("task", lenders: jobs)
        for job in jobs { machine.jobWaits(job) }
        #expect(machine.next() == "task")
        _ = machine.entryAdded("stranger")
        #expect(machine.next() == nil)
        _ = machine.entryFinished(jobs[0])
        #expect(machine.loans.lender(of: task)?.slot == jobs[1])
        #expect(machine.next() == "stranger")
    }

    @Test func taskThatLostItsLoanTriesItsOtherJobs() {  // Q2, J12
        var machine = Machine(concurrencyLimit: 2)
        let jobs = ["a", "b"].map { machine.entryAdded($0) }
        #expect([machine.next(), machine.next()] == ["a", "b"])
        for job in jobs { machine.jobWaits(job) }
        let shared = machine.entryAdded("shared", lenders: jobs)
        _ = machine.entryAdded("own", lenders: [jobs[0]])
        #expect(machine.startableCount == 1)
        machine.priorityChanged(shared, to: .low)
        #expect(machine.startableCount == 2)
        #expect([machine.next(), machine.next()] == ["own", "shared"])
    }

    /// The task that was added first requests first, and a task with a loan does not overtake it.
    @Test func postponedTasksAskInTheOrderAdded() {  // Q2, J12
        var (machine, job) = Machine.withJob(concurrencyLimit: 2)
        machine.jobWaits(job)
        machine.isSuspended = true
        for name in ["a", "b", "c"] { _ = machine.entryAdded(name, lenders: [job]) }
        machine.isSuspended = false
        #expect([machine.next(), machine.next(), machine.next()] == ["a", "b", nil])
    }
}
