import Testing

@testable import JobKit

// X1, X2, X3, X4, X5, X6
@Suite struct KeyedQueueStateMachineTests {
    private typealias Machine = KeyedQueueStateMachine<String, String>

    private func add(
        _ entry: String,
        _ keys: ShortList<String>,
        _ machine: inout Machine,
        priority: OperationPriority = .normal,
        isJob: Bool = false,
        below jobs: [TaskQueueTicket] = []
    ) -> TaskQueueTicket {
        let ticket = machine.entryAdded(entry, keys: keys, priority: priority, isJob: isJob)
        machine.jobsFound(jobs, above: ticket)
        machine.entryBecameReady(ticket)
        return ticket
    }

    private func passedOn(_ machine: inout Machine) -> [String] {
        var entries: [String] = []
        while let next = machine.next() { entries.append(next.entry) }
        return entries
    }

    @Test func oneOfAKeyIsPassedOnAtATime() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let first = add("a1", ["a"], &machine)
        _ = add("a2", ["a"], &machine)
        _ = add("b1", ["b"], &machine)
        #expect(passedOn(&machine) == ["a1", "b1"])
        machine.entryEnded(first)
        #expect(passedOn(&machine) == ["a2"])
    }

    @Test func entryOfSeveralKeysWaitsForAllAndHoldsNone() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let first = add("a", ["a"], &machine)
        _ = passedOn(&machine)
        let both = add("ab", ["a", "b"], &machine)
        let late = add("b", ["b"], &machine)
        #expect(passedOn(&machine) == [])
        machine.entryEnded(both)
        #expect(passedOn(&machine) == ["b"])
        machine.entryEnded(first)
        machine.entryEnded(late)
        #expect(machine.isUnused)
    }

    @Test func entryThatWaitsOnlyForAPlaceHoldsBackNobody() {
        var machine = Machine(limit: 1, limitPerKey: 1)
        let job = add("job", ["j"], &machine, isJob: true)
        #expect(passedOn(&machine) == ["job"])
        _ = add("other", ["a"], &machine)
        _ = add("task", ["a"], &machine, below: [job])
        #expect(passedOn(&machine) == ["task"])
    }

    @Test func taskDoesNotWaitBehindOneThatWaitsForItsJobsKey() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let job = add("job", ["j"], &machine, isJob: true)
        _ = passedOn(&machine)
        _ = add("waits for the job", ["j", "a"], &machine)
        _ = add("task", ["a"], &machine, below: [job])
        #expect(passedOn(&machine) == ["task"])
    }

    @Test func jobLendsItsKeyToOneTaskAtATime() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let job = add("job", ["a"], &machine, isJob: true)
        let first = add("task 1", ["a"], &machine, below: [job])
        _ = add("task 2", ["a"], &machine, below: [job])
        _ = add("other", ["a"], &machine)
        #expect(passedOn(&machine) == ["job", "task 1"])
        machine.entryEnded(first)
        #expect(passedOn(&machine) == ["task 2"])
    }

    @Test func keyThatAJobHasLentStaysHeldWhenTheJobEnds() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let job = add("job", ["a"], &machine, isJob: true)
        let task = add("task", ["a"], &machine, below: [job])
        _ = add("other", ["a"], &machine)
        #expect(passedOn(&machine) == ["job", "task"])
        machine.entryEnded(job)
        #expect(passedOn(&machine) == [])
        machine.entryEnded(task)
        #expect(passedOn(&machine) == ["other"])
    }

    @Test func sharedTaskUsesTheKeyOfTheFirstJobThatCanLend() {
        var machine = Machine(limit: .max, limitPerKey: 2)
        let jobs = ["job 1", "job 2"].map { add($0, ["a"], &machine, isJob: true) }
        let own = add("own", ["a"], &machine, below: [jobs[0]])
        _ = add("shared", ["a"], &machine, below: jobs)
        #expect(passedOn(&machine) == ["job 1", "job 2", "own", "shared"])
        _ = add("more", ["a"], &machine, below: jobs)
        #expect(passedOn(&machine) == [])
        machine.entryEnded(own)
        #expect(passedOn(&machine) == ["more"])
    }

    @Test func refusedEntryKeepsItsPosition() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let first = add("first", ["a"], &machine)
        _ = add("second", ["a"], &machine)
        #expect(machine.next()?.entry == "first")
        machine.entryRefused(first)
        machine.entryBecameReady(first)
        #expect(machine.next()?.entry == "first")
        #expect(machine.next() == nil)
    }

    @Test func replacedEntryThatEndsLateEndsNoOther() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        machine.isSuspended = true
        var replaced: [TaskQueueTicket] = []
        for number in 1...4 {
            let position = replaced.last.map { machine.slots[$0.slot].position }
            let ticket = machine.entryAdded("\(number)", keys: ["a"], position: position)
            machine.entryBecameReady(ticket)
            if let last = replaced.last { machine.entryEnded(last) }
            replaced.append(ticket)
        }
        for ticket in replaced.dropLast() { machine.entryEnded(ticket) }
        machine.isSuspended = false
        #expect(passedOn(&machine) == ["4"])
    }

    @Test func suspendedQueuePassesNothingOnAndALimitCounts() {
        var machine = Machine(limit: 1, limitPerKey: 1)
        machine.isSuspended = true
        for name in ["a", "b", "c"] { _ = add(name, [name], &machine) }
        #expect(passedOn(&machine) == [])
        machine.isSuspended = false
        #expect(passedOn(&machine) == ["a"])
        machine.limit = 2
        #expect(passedOn(&machine) == ["b"])
    }

    @Test func duplicatesHaveExactlyTheSameKeys() {
        var machine = Machine(limit: 1, limitPerKey: 1)
        let first = add("1", ["a", "b"], &machine)
        #expect(passedOn(&machine) == ["1"])
        let third = add("3", ["b", "a"], &machine)
        let second = add("2", ["a", "b"], &machine, priority: .high)
        let others: [ShortList<String>] = [["a"], ["b"], ["a", "b", "c"]]
        for keys in others { _ = add("other", keys, &machine) }
        #expect(machine.duplicates(of: ["b", "a"]) == [first, second, third])
        #expect(machine.duplicates(of: ["c"]) == [])
        #expect(machine.duplicates(of: ["new"]) == [])
    }

    /// X6: slots are reused, and a key with one entry has no pool.
    @Test func manyKeysOneAfterAnotherUseOneSlot() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        for number in 0..<1_000 {
            let ticket = add("\(number)", ["\(number)"], &machine)
            #expect(passedOn(&machine) == ["\(number)"])
            machine.entryEnded(ticket)
        }
        #expect(machine.slots.endIndex == 1 && machine.pools.endIndex == 1)
        #expect(machine.isUnused)
    }

    /// X6: a queue that has held many keys at once keeps nothing of them.
    @Test(arguments: [0, 1]) func nothingRemainsOfTenThousandKeys(entriesPerKeyThatWait: Int) {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let keys = (0..<10_000).map { "\($0)" }
        let waiting = keys.prefix(entriesPerKeyThatWait * keys.count)
        let tickets = (keys + waiting).map { add($0, [$0], &machine) }
        #expect(passedOn(&machine).count == 10_000)
        for ticket in tickets { machine.entryEnded(ticket) }
        #expect(machine.isUnused)
        #expect(machine.slots.endIndex <= 64 && machine.pools.endIndex <= 66)
        #expect(machine.users.capacity <= 128)
        for ticket in tickets { machine.entryEnded(ticket) }
        _ = add("next", ["0"], &machine)
        #expect(passedOn(&machine) == ["next"])
    }

    /// X6: the memory of many keys is freed, although the queue is never empty.
    @Test func nothingRemainsOfManyKeysInABusyQueue() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        var last = (0..<10_000).map { add("\($0)", ["\($0)"], &machine) }
        #expect(passedOn(&machine).count == 10_000)
        for number in 0..<30_000 {
            let next = add("next", ["next \(number)"], &machine)
            #expect(passedOn(&machine) == ["next"])
            machine.entryEnded(last.removeFirst())
            last.append(next)
            if last.count > 10 { machine.entryEnded(last.removeFirst()) }
        }
        #expect(machine.count > 0)
        #expect(machine.slots.endIndex < 200)
        #expect(machine.pools.endIndex < 200 && machine.users.capacity < 200)
        #expect(machine.turns.count < 200)
    }

    /// X7: a report does not search the entries that have ended.
    @Test func endedEntriesBehindALongOneAreForgotten() {
        var machine = Machine(limit: 2, limitPerKey: 1)
        _ = add("long", [], &machine)
        for _ in 0..<10_000 {
            let ticket = add("short", [], &machine)
            while machine.next() != nil {}
            machine.entryEnded(ticket)
        }
        #expect(machine.turns.count < 100)
    }

    /// X8: adding n tasks takes linear time, although all keys of tasks are known.
    @Test func addedTaskChangesNothingForOthers() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let job = add("job", [], &machine, isJob: true)
        for number in 0..<10 { _ = add("holder", ["\(number)"], &machine) }
        #expect(passedOn(&machine).count == 11)
        for number in 0..<10 {
            _ = add("task", ["\(number)"], &machine, below: [job])
            #expect(machine.changed.isEmpty)
        }
    }

    /// X2: the second operation waits for a, which the first one got, and holds back the task.
    @Test func taskDoesNotOvertakeOneThatWaitedForAPlaceBefore() {
        var machine = Machine(limit: 2, limitPerKey: 1)
        let job = add("job", [], &machine, isJob: true)
        let other = add("other", [], &machine)
        #expect(passedOn(&machine) == ["job", "other"])
        _ = add("a", ["a"], &machine)
        _ = add("a and b", ["a", "b"], &machine)
        #expect(passedOn(&machine) == [])
        machine.entryEnded(other)
        #expect(passedOn(&machine) == ["a"])
        _ = add("task", ["b"], &machine, below: [job])
        #expect(passedOn(&machine) == [])
    }

    /// X4: the operation between the task and the one that waits for the job also waits for it.
    @Test func taskDoesNotWaitBehindAChainThatWaitsForItsJob() {
        var machine = Machine(limit: .max, limitPerKey: 1)
        let job = add("job", ["j"], &machine, isJob: true)
        #expect(passedOn(&machine) == ["job"])
        _ = add("waits for the job", ["j", "a"], &machine)
        _ = add("waits for a", ["a", "b"], &machine)
        _ = add("task", ["b"], &machine, below: [job])
        #expect(passedOn(&machine) == ["task"])
    }
}
