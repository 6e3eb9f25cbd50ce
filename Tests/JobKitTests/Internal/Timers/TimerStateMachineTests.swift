import Testing

@testable import JobKit

@Suite struct TimerStateMachineTests {
    private typealias Machine = TimerStateMachine<String>

    @Test func timerBeforeAllOthersWakesTheThread() {
        var machine = Machine()
        #expect(machine.timerAdded("late", at: 9).action == .wakeThread)
        #expect(machine.timerAdded("later", at: 10).action == .nothing)
        #expect(machine.timerAdded("early", at: 8).action == .wakeThread)
    }

    @Test func dueTimersAreTakenByDeadlineAndThenInTheOrderAdded() {
        var machine = Machine()
        for (body, deadline) in [("c", 2), ("a", 1), ("d", 2), ("b", 1), ("e", 3)] {
            _ = machine.timerAdded(body, at: Int64(deadline))
        }
        #expect(machine.threadWoke(at: 2).action == .startWorker)
        #expect((0..<5).map { _ in machine.workerTakes() } == ["a", "b", "c", "d", nil])
        #expect(machine.threadWoke(at: 2).wakeTime == 3)
    }

    @Test func cancelledTimerIsReturnedOnceAndLeavesNothing() {
        var machine = Machine()
        let first = machine.timerAdded("first", at: 1).id
        #expect(machine.timerCancelled(first) == "first")
        #expect(machine.timerCancelled(first) == nil)
        // It reuses the slot of the first.
        let second = machine.timerAdded("second", at: 1).id
        #expect(machine.timerCancelled(first) == nil)
        #expect(machine.count == 1)
        #expect(machine.threadWoke(at: 1).action == .startWorker)
        #expect(machine.timerCancelled(second) == nil)
        #expect(machine.count == 0)
        #expect(machine.threadWoke(at: 1).wakeTime != .max)
        #expect(machine.workerTakes() == "second")
        #expect(machine.threadWoke(at: 1).wakeTime == .max)
    }

    @Test func blockedWorkerIsReplaced() {
        var machine = Machine()
        #expect(machine.bodyBecameDue("blocks") == .startWorker)
        #expect(machine.workerTakes() == "blocks")
        #expect(machine.bodyBecameDue("waits") == .wakeThread)
        #expect(machine.bodyBecameDue("waits too") == .nothing)
        let (action, wakeTime) = machine.threadWoke(at: 100)
        #expect(action == .nothing)
        #expect(machine.threadWoke(at: wakeTime).action == .startWorker)
        #expect(machine.workerTakes() == "waits")
        #expect(machine.workerTakes() == "waits too")
        #expect(machine.workerTakes() == nil)
        // The blocked worker is replaced again, because the other one has ended.
        #expect(machine.bodyBecameDue("next") == .wakeThread)
        _ = machine.threadWoke(at: 200)
        #expect(machine.threadWoke(at: 300).action == .startWorker)
    }

    @Test func workerThatTakesIsNotReplaced() {
        var machine = Machine()
        for body in ["a", "b", "c"] { _ = machine.bodyBecameDue(body) }
        _ = machine.threadWoke(at: 0)
        #expect(machine.workerTakes() == "a")
        #expect(machine.threadWoke(at: 1).action == .nothing)
        #expect(machine.workerTakes() == "b")
        #expect(machine.threadWoke(at: 2).action == .nothing)
    }

    @Test(arguments: 1...20) func randomWalkAgreesWithASortedList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = TimerStateMachine<Int>()
        var expected: [(deadline: Int64, number: Int, id: TimerStateMachine<Int>.ID)] = []
        var now: Int64 = 0
        for number in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2:
                let deadline = now + Int64.random(in: 0...50, using: &random)
                expected.append((deadline, number, machine.timerAdded(number, at: deadline).id))
            case 3:
                guard !expected.isEmpty else { continue }
                let index = Int.random(in: expected.indices, using: &random)
                let cancelled = expected.remove(at: index)
                #expect(machine.timerCancelled(cancelled.id) == cancelled.number)
            default:
                now += Int64.random(in: 0...20, using: &random)
                let due = expected.filter { $0.deadline <= now }
                    .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
                expected.removeAll { $0.deadline <= now }
                let action = machine.threadWoke(at: now).action
                #expect(action == (due.isEmpty ? .nothing : .startWorker))
                guard action == .startWorker else { continue }
                #expect(due.map { _ in machine.workerTakes() } == due.map(\.number))
                #expect(machine.workerTakes() == nil)
            }
            #expect(machine.count == expected.count)
        }
    }
}
