import Testing

@testable import JobKit

@Suite struct TimerStateMachineTests {
    private typealias Machine = TimerStateMachine<String>

    @Test func timerBeforeAllOthersWakesTheThread() {
        var machine = Machine()
        #expect(machine.timerAdded("late", at: 9).action == .init(wakesThread: true))
        #expect(machine.timerAdded("later", at: 10).action == .init())
        #expect(machine.timerAdded("early", at: 8).action == .init(wakesThread: true))
    }

    @Test func dueTimersAreTakenByDeadlineAndThenInTheOrderAdded() {
        var machine = Machine()
        for (body, deadline) in [("c", 2), ("a", 1), ("d", 2), ("b", 1), ("e", 3)] {
            _ = machine.timerAdded(body, at: Int64(deadline))
        }
        #expect(machine.threadWoke(at: 2).action == .init(startsWorker: 0))
        #expect((0..<5).map { _ in machine.workerTakes(0) } == ["a", "b", "c", "d", nil])
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
        #expect(machine.threadWoke(at: 1).action == .init(startsWorker: 0))
        #expect(machine.timerCancelled(second) == nil)
        #expect(machine.count == 0)
        #expect(machine.threadWoke(at: 1).wakeTime != .max)
        #expect(machine.workerTakes(0) == "second")
        #expect(machine.threadWoke(at: 1).wakeTime == .max)
    }

    @Test func blockedWorkerIsReplaced() {
        var machine = Machine()
        #expect(machine.bodyBecameDue("blocks") == .init(startsWorker: 0))
        #expect(machine.workerTakes(0) == "blocks")
        #expect(machine.bodyBecameDue("waits") == .init(wakesThread: true))
        #expect(machine.bodyBecameDue("waits too") == .init())
        let (action, wakeTime) = machine.threadWoke(at: 100)
        #expect(action == .init())
        #expect(machine.threadWoke(at: wakeTime).action == .init(startsWorker: 1))
        #expect(machine.workerTakes(1) == "waits")
        #expect(machine.workerTakes(1) == "waits too")
        #expect(machine.workerTakes(1) == nil)
        // The slot of the timer that has ended is reused.
        #expect(machine.bodyBecameDue("next") == .init(wakesThread: true))
        _ = machine.threadWoke(at: 200)
        #expect(machine.threadWoke(at: 300).action == .init(startsWorker: 1))
    }

    @Test func workerThatTakesIsNotReplaced() {
        var machine = Machine()
        for body in ["a", "b", "c"] { _ = machine.bodyBecameDue(body) }
        _ = machine.threadWoke(at: 0)
        #expect(machine.workerTakes(0) == "a")
        #expect(machine.threadWoke(at: 1).action == .init())
        #expect(machine.workerTakes(0) == "b")
        #expect(machine.threadWoke(at: 2).action == .init())
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
                let worker = machine.threadWoke(at: now).action.startsWorker
                #expect((worker != nil) == !due.isEmpty)
                guard let worker else { continue }
                #expect(due.map { _ in machine.workerTakes(worker) } == due.map(\.number))
                #expect(machine.workerTakes(worker) == nil)
            }
            #expect(machine.count == expected.count)
        }
    }
}
