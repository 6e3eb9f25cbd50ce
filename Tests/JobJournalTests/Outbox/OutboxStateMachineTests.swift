import Testing

@testable import JobJournal

/// The turns, delays and duplicates of an outbox, without a file.
@Suite final class OutboxStateMachineTests {
    private var machine = OutboxStateMachine(limit: 2)
    private var nextID: UInt64 = 1
    private var time = OutboxStateMachine.Time(wall: 1_000, clock: 0)

    @discardableResult
    private func add(
        _ key: String?,
        _ change: (inout OutboxEntryPayload) -> Void = { _ in }
    ) -> UInt64 {
        var record = OutboxEntryPayload(
            id: nextID,
            position: nextID,
            addedAt: time.wall,
            key: key,
            deduplicationID: nil,
            item: []
        )
        change(&record)
        nextID += 1
        let location = RecordLocation(offset: Int(record.id) * 100, payloadCount: 68)
        machine.entryAdded(record, at: location, time)
        return record.id
    }

    /// Starts all startable entries, and lets them succeed one after another.
    private func run(_ count: Int = .max) -> [UInt64] {
        var order: [UInt64] = []
        while order.count < count, let id = machine.nextAttempt() {
            order.append(id)
            begin(id)
            machine.entryLeft(id)
            machine.attemptEnded(id)
        }
        return order
    }

    private func begin(_ id: UInt64) {
        guard let progress = machine.beginning(of: id) else { return }
        machine.attemptBegan(id, progress)
    }

    private func pass(_ seconds: Double) {
        time.wall += seconds
        time.clock += seconds
        machine.timePassed(time)
    }

    @Test func keysTakeTurns() {
        for _ in 0..<4 { add("large") }
        for key in ["b", "c"] { add(key) }
        add(nil)
        add(nil)
        #expect(run() == [1, 5, 6, 7, 2, 8, 3, 4])
    }

    @Test func entriesOfAKeyDoNotOverlapAndTheLimitHolds() {
        add("a")
        add("a")
        add(nil)
        add(nil)
        #expect(machine.nextAttempt() == 1)
        #expect(machine.nextAttempt() == 3)
        #expect(machine.nextAttempt() == nil)
        begin(1)
        machine.entryLeft(1)
        // Its code still runs, so the key and the permit are not free.
        #expect(machine.nextAttempt() == nil)
        machine.attemptEnded(1)
        #expect(machine.nextAttempt() == 2)
        #expect(machine.counts.waiting == 3)
    }

    @Test func keyWhoseFirstEntryIsDelayedKeepsItsTurn() {
        add("a") { $0.progress.notBefore = 1_010 }
        add("a")
        for _ in 0..<3 { add("b") }
        #expect(machine.counts.delayed == 1)
        #expect(machine.nextDue() == 10)
        #expect(run(1) == [3])
        pass(10)
        #expect(run() == [1, 4, 2, 5])
    }

    @Test func interruptedEntryIsPerformedAlone() {
        add("a") { $0.progress.interruptions = 2 }
        add("b")
        add("c")
        #expect(machine.nextAttempt() == 1)
        #expect(machine.nextAttempt() == nil)
        begin(1)
        machine.entryLeft(1)
        machine.attemptEnded(1)
        #expect(machine.nextAttempt() == 2)
        add("d") { $0.progress.interruptions = 2 }
        #expect(machine.nextAttempt() == 3)
        for id in [2, 3] as [UInt64] {
            #expect(machine.nextAttempt() == nil)
            machine.entryLeft(id)
            machine.attemptEnded(id)
        }
        #expect(machine.nextAttempt() == 4)
    }

    @Test func parkedEntryHoldsItsKeyUnlessItIsAside() {
        add("a") { $0.progress.flags = [.parked] }
        add("a")
        add("b") { $0.progress.flags = [.parked, .aside] }
        add("b")
        add(nil) { $0.progress.flags = [.parked] }
        #expect(run() == [4])
        #expect(machine.counts.parked == 3)
        var progress = OutboxProgress()
        progress.flags = [.parked]
        progress.failures = 3
        progress.retried()
        #expect(progress == OutboxProgress())
        machine.stateChanged(1, progress, at: time)
        machine.stateChanged(3, progress, at: time)
        #expect(run() == [1, 3, 2])
        #expect(machine.counts.parked == 1)
    }

    @Test func refusedStartKeepsItsTurn() {
        for key in ["a", "b", "c"] { add(key) }
        #expect(machine.nextAttempt() == 1)
        machine.reasons = ["test"]
        #expect(machine.beginning(of: 1) == nil)
        machine.startRefused(1)
        #expect(machine.nextAttempt() == nil)
        machine.reasons = []
        #expect(run() == [1, 2, 3])
    }

    @Test func replacedEntryPassesOnItsPositionAndItsDelay() {
        add("a")
        add("a") { record in
            record.progress.failures = 2
            record.progress.delayed(by: 30, now: 1_000)
        }
        add("a")
        add("a") { record in
            record.position = 2
            record.replaced = [2]
            record.progress.inherit([(machine.entry(2)?.slot.progress ?? OutboxProgress(), true)])
        }
        #expect(machine.entry(4)?.slot.progress.failures == 2)
        #expect(run() == [1])
        #expect(machine.nextDue() == 30)
        pass(30)
        #expect(run() == [4, 3])
    }

    @Test func clockThatIsSetBackDelaysAtMostOnceMore() {
        var progress = OutboxProgress()
        progress.delayed(by: 10, now: 1_000)
        #expect(progress.remaining(now: 1_004, addedAt: 0, ignoresDelay: false) == 6)
        #expect(progress.remaining(now: 0, addedAt: 0, ignoresDelay: false) == 10)
        #expect(progress.remaining(now: 1_004, addedAt: 0, ignoresDelay: true) == 0)
        progress.limitDelays(now: 0, addedAt: 0)
        #expect(progress.delayUntil == 10)
        progress.notBefore = 1_060
        #expect(progress.remaining(now: 1_000, addedAt: 1_000, ignoresDelay: true) == 60)
        #expect(progress.remaining(now: 0, addedAt: 1_000, ignoresDelay: true) == 60)
    }

    @Test func retryNowEndsDelaysAndNotDates() {
        add("a") { $0.progress.delayed(by: 30, now: 1_000) }
        add("b") { $0.progress.notBefore = 1_060 }
        machine.delaysEnded(time)
        #expect(run() == [1])
        #expect(machine.counts.delayed == 1)
    }

    @Test func emptyMachineForgetsItsKeys() {
        for number in 0..<100 { add("\(number)") }
        #expect(run().count == 100)
        #expect(machine.isEmpty)
        #expect(machine.liveBytes == 0)
        #expect(machine.keys.number(of: "5") == nil)
        #expect(machine.nextID == 101)
    }
}
