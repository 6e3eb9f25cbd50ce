import Testing

@testable import JobKit

@Suite struct TaskWorkflowStateMachineTests {
    typealias Machine = TaskWorkflowStateMachine<String>

    /// Returns the launch of a real app: A and B, a group of C, D, E and F, then G and H.
    private func launch() -> Machine {
        var machine = Machine()
        for task in ["A", "B"] { _ = machine.taskAdded(task, queue: .mainQueue) }
        _ = machine.groupAdded([
            ("C", .mainQueue), ("D", .mainQueue), ("E", .concurrentQueue), ("F", .concurrentQueue),
        ])
        for task in ["G", "H"] { _ = machine.taskAdded(task, queue: .mainQueue) }
        return machine
    }

    // W1, W2
    @Test func groupIsOpenedByTheMainTasksBeforeAndClosedByItsLastFinish() {
        var machine = launch()
        #expect(machine.started() == ["A"])
        #expect(machine.taskFinished(0, hasFailed: false) == ["B"])
        #expect(machine.openStages == 1)
        #expect(machine.taskFinished(1, hasFailed: false) == ["E", "F", "C"])
        #expect(machine.openStages == 2)
        #expect(machine.taskFinished(4, hasFailed: false) == [])
        #expect(machine.taskFinished(2, hasFailed: false) == ["D"])
        #expect(machine.taskFinished(3, hasFailed: false) == [])
        #expect(machine.openStages == 2)
        #expect(machine.taskFinished(5, hasFailed: false) == ["G"])
        #expect(machine.openStages == 3)
    }

    // W1
    @Test func returningCountsAsRunButNotAsTheEndOfAGroup() {
        var machine = Machine()
        _ = machine.groupAdded([("a", .mainQueue), ("b", .mainQueue)])
        _ = machine.taskAdded("c", queue: .mainQueue)
        #expect(machine.started() == ["a"])
        #expect(machine.taskRan(0) == ["b"])
        #expect(machine.taskFinished(1, hasFailed: false) == [])
        #expect(machine.taskFinished(0, hasFailed: false) == ["c"])
    }

    // W2
    @Test func concurrentTasksOfARunDelayNothing() {
        var machine = Machine()
        _ = machine.taskAdded("slow", queue: .concurrentQueue)
        _ = machine.groupAdded([("a", .concurrentQueue)])
        #expect(machine.started() == ["slow", "a"])
        #expect(machine.openStages == 2)
    }

    // R4
    @Test func waitNamesTheCause() {
        var machine = launch()
        #expect(machine.wait(of: 0) == .start)
        _ = machine.started()
        #expect(machine.wait(of: 0) == nil)
        #expect(machine.wait(of: 1) == .tasks([0], further: 0))
        #expect(machine.wait(of: 7) == .tasks([0, 1], further: 0))
        for index in 0..<2 { _ = machine.taskFinished(index, hasFailed: false) }
        #expect(machine.wait(of: 4) == nil)
        #expect(machine.wait(of: 3) == .tasks([2], further: 0))
        _ = machine.taskFinished(4, hasFailed: false)
        #expect(machine.wait(of: 6) == .tasks([2, 3, 5], further: 0))
    }

    @Test func waitNamesTenOfMany() {
        var machine = TaskWorkflowStateMachine<String>()
        _ = machine.groupAdded((0..<25).map { ("\($0)", .concurrentQueue) })
        _ = machine.taskAdded("behind", queue: .mainQueue)
        _ = machine.started()
        _ = machine.taskFinished(1, hasFailed: false)
        #expect(machine.wait(of: 25) == .tasks([0] + Array(2...10), further: 14))
    }

    // R5
    @Test func predecessorsAreThoseOfTheStageAndTheTurn() {
        var machine = launch()
        _ = machine.started()
        for index in [0, 1, 4, 2, 5, 3] { _ = machine.taskFinished(index, hasFailed: false) }
        let predecessors = (0..<8).map { machine.predecessors(of: $0) }
        #expect(predecessors == [[], [0], [1, 1], [1, 2], [1], [1], [3, 3], [3, 6]])
    }

    // W5
    @Test func failedTaskIsWaitedForUntilTheWorkflowCarriesOn() {
        var machine = launch()
        _ = machine.started()
        #expect(machine.taskFinished(0, hasFailed: true) == [])
        #expect(machine.taskRan(0) == [])
        #expect(machine.failureAccepted(of: 0) == ["B"])
        #expect(machine.failureAccepted(of: 0) == [])
    }

    @Test func secondFinishIsIgnored() {
        var machine = launch()
        _ = machine.started()
        _ = machine.taskFinished(0, hasFailed: false)
        #expect(machine.taskFinished(0, hasFailed: false) == [])
        #expect(machine.taskFinished(0, hasFailed: true) == [])
        #expect(machine.taskRan(0) == [])
    }

    // W6
    @Test func unknownGateOpensNothingAlsoLater() {
        var machine = Machine()
        #expect(machine.gateOpened("screen") == [])
        machine.gateAdded("screen")
        _ = machine.taskAdded("a", queue: .mainQueue)
        #expect(machine.started() == [])
        #expect(machine.openStages == 1)
        #expect(machine.gateOpened("other") == [])
        #expect(machine.gateOpened("screen") == ["a"])
        #expect(machine.gateOpened("screen") == [])
    }

    // W6
    @Test func gateWaitsBesidesTheStages() {
        var machine = Machine()
        _ = machine.taskAdded("a", queue: .mainQueue)
        machine.gateAdded("screen")
        _ = machine.taskAdded("b", queue: .concurrentQueue)
        _ = machine.groupAdded([("c", .mainQueue), ("d", .concurrentQueue)])
        #expect(machine.started() == ["a"])
        #expect(machine.gateOpened("screen") == ["b"])
        #expect(machine.taskFinished(0, hasFailed: false) == ["d", "c"])
    }

    @Test func taskAddedToAnOpenStageStartsAtOnce() {
        var machine = Machine()
        #expect(machine.started() == [])
        #expect(machine.openStages == 0)
        #expect(machine.taskAdded("a", queue: .mainQueue) == ["a"])
        #expect(machine.openStages == 1)
        #expect(machine.taskAdded("b", queue: .concurrentQueue) == ["b"])
        #expect(machine.taskAdded("c", queue: .mainQueue) == [])
        #expect(machine.taskFinished(0, hasFailed: false) == ["c"])
    }
}
