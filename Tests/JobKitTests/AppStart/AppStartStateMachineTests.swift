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
    @Test func nextTurnBeginsOnlyAfterTheCompletionWasHeard() {
        var machine = machine(["a", "b"])
        #expect(machine.startRequested() == [.beginTurn])
        #expect(machine.turnBegan() == Machine.Turn(number: 1, task: "a"))
        #expect(machine.completionHeard(from: .turn(1)) == [.notifyCompletion("a"), .beginTurn])
        #expect(machine.turnBegan() == Machine.Turn(number: 2, task: "b"))
        #expect(machine.completionHeard(from: .task("b")) == [.notifyCompletion("b"), .beginTurn])
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
        _ = machine.completionHeard(from: .turn(1))
        #expect(machine.startRequested() == [])
    }

    // A1
    @Test func failureStopsTheChainAndTheNextStartGoesOn() {
        var machine = machine(["a", "b"])
        _ = machine.startRequested()
        _ = machine.turnBegan()
        #expect(machine.failureHeard("no", from: .turn(1)) == [.notifyFailure("a", "no")])
        #expect(machine.failureHeard("no", from: .turn(1)) == [])
        #expect(!machine.isRunning)
        #expect(machine.startRequested() == [.beginTurn])
        #expect(machine.turnBegan() == Machine.Turn(number: 2, task: "b"))
    }

    // A1
    @Test(arguments: [Machine.Reporter.turn(1), .turn(3), .task("a"), .task("c")])
    func wordOutOfTurnIsIgnored(_ reporter: Machine.Reporter) {
        var machine = machine(["a", "b", "c"])
        let isIgnored = { (machine: inout Machine) in
            machine.completionHeard(from: reporter) == []
                && machine.failureHeard("no", from: reporter) == []
        }
        #expect(isIgnored(&machine) == true, "before the start")
        _ = machine.startRequested()
        #expect(isIgnored(&machine) == true, "before the first turn")
        _ = machine.turnBegan()
        _ = machine.completionHeard(from: .turn(1))
        #expect(isIgnored(&machine) == true, "between turns")
        _ = machine.turnBegan()
        #expect(isIgnored(&machine) == true, "while it is b's turn")
    }

    // A1
    @Test func lateSecondWordOfATaskThatIsQueuedTwiceIsIgnored() {
        var machine = machine(["a", "a"])
        _ = machine.startRequested()
        _ = machine.turnBegan()
        _ = machine.completionHeard(from: .turn(1))
        #expect(machine.turnBegan() == Machine.Turn(number: 2, task: "a"))
        #expect(machine.completionHeard(from: .turn(1)) == [])
        #expect(machine.completionHeard(from: .turn(2)) == [.notifyCompletion("a"), .beginTurn])
    }

    @Test func removedTasksAreReturnedAndHaveNoTurn() {
        var machine = machine(["a", "b", "a", "c"])
        #expect(machine.taskRemoved("stranger") == [])
        #expect(machine.taskRemoved("a") == ["a", "a"])
        _ = machine.startRequested()
        #expect(machine.turnBegan()?.task == "b")
        #expect(machine.allTasksRemoved() == ["c"])
        #expect(machine.isRunning)
        _ = machine.completionHeard(from: .task("b"))
        #expect(machine.turnBegan() == nil)
    }
}
