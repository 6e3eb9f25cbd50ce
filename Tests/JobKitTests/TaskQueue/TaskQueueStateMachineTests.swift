import Testing

@testable import JobKit

@Suite struct TaskQueueStateMachineTests {
    typealias Machine = TaskQueueStateMachine<String>

    @Test func limitOneStartsOneAfterAnother() {  // Q1
        var machine = Machine(concurrencyLimit: 1)
        let first = machine.entryAdded("a")
        let second = machine.entryAdded("b")
        #expect(machine.startableCount == 1)
        #expect(machine.next() == "a")
        #expect(machine.next() == nil)
        #expect(machine.entryFinished(first) == false)
        #expect(machine.next() == "b")
        #expect(machine.entryFinished(second) == true)
    }

    @Test func urgentEntriesComeFirst() {  // Q2
        var machine = Machine(concurrencyLimit: 1)
        for (name, priority) in [("d", OperationPriority.low), ("b", .high), ("c", .normal)] {
            _ = machine.entryAdded(name, priority: priority)
        }
        let late = machine.entryAdded("a", priority: .veryLow)
        machine.priorityChanged(late, to: .veryHigh)
        #expect(startAndFinishAll(&machine) == ["a", "b", "c", "d"])
    }

    @Test func priorityChangedBackAndForthStartsTheEntryOnce() {  // Q2
        var machine = Machine(concurrencyLimit: 1)
        let slot = machine.entryAdded("a")
        for priority in [OperationPriority.high, .normal, .low, .high, .normal] {
            machine.priorityChanged(slot, to: priority)
        }
        _ = machine.entryAdded("b", priority: .high)
        #expect(machine.startableCount == 1)
        #expect(startAndFinishAll(&machine) == ["b", "a"])
    }

    @Test func suspendedMachineStartsNothing() {  // Q4
        var machine = Machine(concurrencyLimit: 1)
        _ = machine.entryAdded("a")
        machine.isSuspended = true
        #expect(machine.startableCount == 0)
        #expect(machine.next() == nil)
        machine.isSuspended = false
        #expect(machine.next() == "a")
    }

    @Test func narrowedMachineStartsNothingUntilEnoughHaveFinished() {  // Q4
        var machine = Machine(concurrencyLimit: 3)
        let slots = ["a", "b", "c", "d"].map { machine.entryAdded($0) }
        #expect([machine.next(), machine.next(), machine.next()] == ["a", "b", "c"])
        machine.limitChanged(to: 1)
        _ = machine.entryFinished(slots[0])
        _ = machine.entryFinished(slots[1])
        #expect(machine.next() == nil)
        _ = machine.entryFinished(slots[2])
        #expect(machine.next() == "d")
    }

    @Test func refusedEntryReleasesItsPermit() {  // Q2
        var machine = Machine(concurrencyLimit: 1)
        let refused = machine.entryAdded("a")
        _ = machine.entryAdded("b")
        #expect(machine.next() == "a")
        machine.startRefused(machine.slots[refused].ticket)
        #expect(machine.next() == "b")
        machine.entryBecameReady(refused)
        machine.limitChanged(to: 2)
        #expect(machine.next() == "a")
    }

    @Test func entryMayFinishWithoutHavingBeenStarted() {
        var machine = Machine(concurrencyLimit: 1)
        let ready = machine.entryAdded("ready")
        let waiting = machine.entryAdded("waiting", isReady: false)
        _ = machine.entryAdded("last")
        #expect(machine.entryFinished(ready) == false)
        #expect(machine.entryFinished(waiting) == false)
        #expect(machine.startableCount == 1)
        #expect(startAndFinishAll(&machine) == ["last"])
    }

    @Test func entryThatFinishesBehindABarrierIsForgotten() {
        var machine = Machine(concurrencyLimit: 2)
        let first = machine.entryAdded("first")
        let barrier = machine.entryAdded("barrier", isBarrier: true)
        let gone = machine.entryAdded("gone")
        #expect(machine.next() == "first")
        _ = machine.entryFinished(gone)
        _ = machine.entryFinished(first)
        #expect(machine.next() == "barrier")
        let reused = machine.entryAdded("not ready", isReady: false)
        #expect(reused == first || reused == gone)
        _ = machine.entryFinished(barrier)
        #expect(machine.startableCount == 0)
        #expect(machine.next() == nil)
    }

    @Test func barrierExecutesAloneBetweenEarlierAndLaterEntries() {
        var machine = Machine(concurrencyLimit: 3)
        let before = ["a", "b"].map { machine.entryAdded($0) }
        let barrier = machine.entryAdded("barrier", priority: .veryHigh, isBarrier: true)
        _ = machine.entryAdded("c", priority: .veryHigh)
        #expect([machine.next(), machine.next(), machine.next()] == ["a", "b", nil])
        _ = machine.entryFinished(before[0])
        #expect(machine.next() == nil)
        _ = machine.entryFinished(before[1])
        #expect([machine.next(), machine.next()] == ["barrier", nil])
        _ = machine.entryFinished(barrier)
        #expect(machine.next() == "c")
    }

    @Test func entriesAreInTheOrderAdded() {
        var machine = Machine(concurrencyLimit: 1)
        let first = machine.entryAdded("a")
        _ = machine.entryAdded("b")
        _ = machine.next()
        _ = machine.entryFinished(first)
        _ = machine.entryAdded("c", priority: .veryHigh)
        #expect(machine.entries() == ["b", "c"])
        #expect(machine.count == 2)
    }

    @Test(arguments: 0..<rounds(of: 30)) func randomWalkAgreesWithTheOracle(seed: Int) {
        var walk = TaskQueueWalk(seed: UInt64(seed), jobs: false)
        for _ in 0..<1_000 { walk.step() }
        walk.drain()
    }

    private func startAndFinishAll(_ machine: inout Machine) -> [String] {
        var started: [String] = []
        while let entry = machine.next() {
            started.append(entry)
            let slot = machine.slots.firstIndex { $0.entry == entry }
            if let slot { _ = machine.entryFinished(slot) }
        }
        return started
    }
}
