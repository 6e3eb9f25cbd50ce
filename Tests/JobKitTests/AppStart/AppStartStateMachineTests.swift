import Testing

@testable import JobKit

@Suite struct AppStartStateMachineTests {
    typealias Machine = AppStartStateMachine<NamedTask, String>

    struct NamedTask: Identifiable, Equatable, ExpressibleByStringLiteral {
        let id: String
        init(stringLiteral name: String) { id = name }
    }

    private func machine(_ tasks: [NamedTask]) -> Machine {
        var machine = Machine()
        for task in tasks { machine.taskAdded(task) }
        return machine
    }

    // A1
    @Test func nextTurnBeginsOnlyAfterTheCompletionWasReported() {
        var machine = machine(["a", "b"])
        #expect(machine.startRequested() == true)
        #expect(machine.nextAction() == .start("a", turn: 1))
        #expect(machine.nextAction() == nil)
        #expect(machine.endReported(nil, by: "a", turn: 1) == true)
        #expect(machine.nextAction() == .notify("a", nil))
        #expect(machine.nextAction() == .start("b", turn: 2))
        #expect(machine.endReported(nil, by: "b", turn: nil) == false, "during the delivery")
        #expect(machine.nextAction() == .notify("b", nil))
        #expect(machine.nextAction() == .notifyOfEnd)
        #expect(machine.nextAction() == nil)
        #expect(!machine.isRunning)
    }

    // A1
    @Test func emptyQueueCompletesAtOnce() {
        var machine = machine([])
        for _ in 0..<2 {
            #expect(machine.startRequested() == true)
            #expect(machine.nextAction() == .notifyOfEnd)
            #expect(machine.nextAction() == nil)
        }
    }

    // A1
    @Test func startWhileAChainRunsDoesNothing() {
        var machine = machine(["a"])
        _ = machine.startRequested()
        #expect(machine.startRequested() == false)
        #expect(machine.nextAction() == .start("a", turn: 1))
        #expect(machine.nextAction() == nil)
        #expect(machine.startRequested() == false)
        #expect(machine.nextAction() == nil)
        _ = machine.endReported(nil, by: "a", turn: 1)
        #expect(machine.startRequested() == false)
    }

    // A1
    @Test(arguments: [false, true])
    func failureStopsTheChainAndTheNextStartContinues(_ startsEarly: Bool) {
        var machine = machine(["a", "b"])
        _ = machine.startRequested()
        _ = machine.nextAction()
        _ = machine.endReported("no", by: "a", turn: 1)
        _ = machine.endReported("again", by: "a", turn: 1)
        #expect(!machine.isRunning)
        if startsEarly { _ = machine.startRequested() }
        #expect(machine.nextAction() == .notify("a", "no"))
        if !startsEarly {
            #expect(machine.nextAction() == nil)
            #expect(machine.startRequested() == true)
        }
        #expect(machine.nextAction() == .start("b", turn: 2))
    }

    // A1
    @Test(arguments: [("a", 1), ("b", 3), ("a", nil), ("c", nil)])
    func reportOutOfTurnIsIgnored(_ task: String, _ turn: Int?) {
        var machine = machine(["a", "b", "c"])
        func report(_ circumstance: String) {
            #expect(machine.endReported(nil, by: task, turn: turn) == false, "\(circumstance)")
            #expect(machine.endReported("no", by: task, turn: turn) == false, "\(circumstance)")
        }
        report("before the start")
        _ = machine.startRequested()
        report("before the first turn")
        #expect(machine.nextAction() == .start("a", turn: 1))
        #expect(machine.nextAction() == nil)
        _ = machine.endReported(nil, by: "a", turn: 1)
        report("between turns")
        #expect(machine.nextAction() == .notify("a", nil))
        #expect(machine.nextAction() == .start("b", turn: 2))
        #expect(machine.nextAction() == nil)
        report("while it is b's turn")
        #expect(machine.nextAction() == nil)
    }

    // A1
    @Test func lateSecondReportOfATaskThatIsQueuedTwiceIsIgnored() {
        var machine = machine(["a", "a"])
        _ = machine.startRequested()
        _ = machine.nextAction()
        _ = machine.endReported(nil, by: "a", turn: 1)
        _ = machine.nextAction()
        #expect(machine.nextAction() == .start("a", turn: 2))
        #expect(machine.nextAction() == nil)
        #expect(machine.endReported(nil, by: "a", turn: 1) == false)
        #expect(machine.nextAction() == nil)
        #expect(machine.endReported(nil, by: "a", turn: 2) == true)
        #expect(machine.nextAction() == .notify("a", nil))
    }

    @Test func removedTasksAreReturnedAndHaveNoTurn() {
        var machine = machine(["a", "b", "a", "c"])
        #expect(machine.tasksRemoved("stranger") == [])
        #expect(machine.tasksRemoved("a") == ["a", "a"])
        _ = machine.startRequested()
        #expect(machine.nextAction() == .start("b", turn: 1))
        #expect(machine.tasksRemoved(nil) == ["c"])
        #expect(machine.isRunning)
        _ = machine.endReported(nil, by: "b", turn: nil)
        #expect(machine.nextAction() == .notify("b", nil))
        #expect(machine.nextAction() == .notifyOfEnd)
    }
}
