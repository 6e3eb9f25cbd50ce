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
        #expect(machine.startRequested() == [.beginTurn])
        #expect(machine.turnBegan() == Machine.Turn(number: 1, task: "a"))
        #expect(machine.endReported(nil, by: "a", turn: 1) == [.notify("a", nil), .beginTurn])
        #expect(machine.turnBegan() == Machine.Turn(number: 2, task: "b"))
        #expect(machine.endReported(nil, by: "b", turn: nil) == [.notify("b", nil), .beginTurn])
        #expect(machine.turnBegan() == nil)
        #expect(!machine.isRunning)
    }

    // A1
    @Test func emptyQueueCompletesAtOnce() {
        var machine = machine([])
        #expect(machine.startRequested() == [.beginTurn])
        #expect(machine.turnBegan() == nil)
        #expect(machine.startRequested() == [.beginTurn])
    }

    // A1
    @Test func startWhileAChainRunsDoesNothing() {
        var machine = machine(["a"])
        _ = machine.startRequested()
        #expect(machine.startRequested() == [])
        _ = machine.turnBegan()
        #expect(machine.startRequested() == [])
        _ = machine.endReported(nil, by: "a", turn: 1)
        #expect(machine.startRequested() == [])
    }

    // A1
    @Test func failureStopsTheChainAndTheNextStartContinues() {
        var machine = machine(["a", "b"])
        _ = machine.startRequested()
        _ = machine.turnBegan()
        #expect(machine.endReported("no", by: "a", turn: 1) == [.notify("a", "no")])
        #expect(machine.endReported("no", by: "a", turn: 1) == [])
        #expect(!machine.isRunning)
        #expect(machine.startRequested() == [.beginTurn])
        #expect(machine.turnBegan() == Machine.Turn(number: 2, task: "b"))
    }

    // A1
    @Test(arguments: [("a", 1), ("b", 3), ("a", nil), ("c", nil)])
    func reportOutOfTurnIsIgnored(_ task: String, _ turn: Int?) {
        var machine = machine(["a", "b", "c"])
        let isIgnored = { (machine: inout Machine) in
            machine.endReported(nil, by: task, turn: turn) == []
                && machine.endReported("no", by: task, turn: turn) == []
        }
        #expect(isIgnored(&machine) == true, "before the start")
        _ = machine.startRequested()
        #expect(isIgnored(&machine) == true, "before the first turn")
        _ = machine.turnBegan()
        _ = machine.endReported(nil, by: "a", turn: 1)
        #expect(isIgnored(&machine) == true, "between turns")
        _ = machine.turnBegan()
        #expect(isIgnored(&machine) == true, "while it is b's turn")
    }

    // A1
    @Test func lateSecondReportOfATaskThatIsQueuedTwiceIsIgnored() {
        var machine = machine(["a", "a"])
        _ = machine.startRequested()
        _ = machine.turnBegan()
        _ = machine.endReported(nil, by: "a", turn: 1)
        #expect(machine.turnBegan() == Machine.Turn(number: 2, task: "a"))
        #expect(machine.endReported(nil, by: "a", turn: 1) == [])
        #expect(machine.endReported(nil, by: "a", turn: 2) == [.notify("a", nil), .beginTurn])
    }

    @Test func removedTasksAreReturnedAndHaveNoTurn() {
        var machine = machine(["a", "b", "a", "c"])
        #expect(machine.taskRemoved("stranger") == [])
        #expect(machine.taskRemoved("a") == ["a", "a"])
        _ = machine.startRequested()
        #expect(machine.turnBegan()?.task == "b")
        #expect(machine.allTasksRemoved() == ["c"])
        #expect(machine.isRunning)
        _ = machine.endReported(nil, by: "b", turn: nil)
        #expect(machine.turnBegan() == nil)
    }
}
