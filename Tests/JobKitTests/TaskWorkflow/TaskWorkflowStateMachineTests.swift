import Testing

@testable import JobKit

@Suite struct TaskWorkflowStateMachineTests {
    typealias Machine = TaskWorkflowStateMachine

    /// Returns the launch of a real app: two tasks, a group of four, then two tasks.
    private func launch() -> Machine {
        var machine = Machine()
        for _ in 0..<2 { _ = machine.taskAdded(.mainQueue) }
        _ = machine.groupAdded([.mainQueue, .mainQueue, .concurrentQueue, .concurrentQueue])
        for _ in 6..<8 { _ = machine.taskAdded(.mainQueue) }
        return machine
    }

    // W1, W2
    @Test func groupIsOpenedByTheMainTasksBeforeAndClosedByItsLastFinish() {
        var machine = launch()
        #expect(machine.started() == [0])
        #expect(machine.taskFinished(0, hasFailed: false) == [1])
        #expect(machine.openStages == 1)
        #expect(machine.taskFinished(1, hasFailed: false) == [4, 5, 2])
        #expect(machine.openStages == 2)
        #expect(machine.taskFinished(4, hasFailed: false) == [])
        #expect(machine.taskFinished(2, hasFailed: false) == [3])
        #expect(machine.taskFinished(3, hasFailed: false) == [])
        #expect(machine.openStages == 2)
        #expect(machine.taskFinished(5, hasFailed: false) == [6])
        #expect(machine.openStages == 3)
    }

    // W1
    @Test func returningCountsAsRunButNotAsTheEndOfAGroup() {
        var machine = Machine()
        _ = machine.groupAdded([.mainQueue, .mainQueue])
        _ = machine.taskAdded(.mainQueue)
        #expect(machine.started() == [0])
        #expect(machine.taskRan(0) == [1])
        #expect(machine.taskFinished(1, hasFailed: false) == [])
        #expect(machine.taskFinished(0, hasFailed: false) == [2])
    }

    // W2
    @Test func concurrentTasksOfARunDelayNothing() {
        var machine = Machine()
        _ = machine.taskAdded(.concurrentQueue)
        _ = machine.groupAdded([.concurrentQueue])
        #expect(machine.started() == [0, 1])
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
        var machine = Machine()
        _ = machine.groupAdded(Array(repeating: .concurrentQueue, count: 25))
        _ = machine.taskAdded(.mainQueue)
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
        #expect(machine.failureAccepted(of: 0) == [1])
        #expect(machine.failureAccepted(of: 0) == [])
    }

    // W5
    @Test func taskThatFailsAfterItRanHoldsItsGroupUntilTheWorkflowCarriesOn() {
        var machine = Machine()
        _ = machine.groupAdded([.mainQueue, .mainQueue])
        _ = machine.taskAdded(.mainQueue)
        #expect(machine.started() == [0])
        #expect(machine.taskRan(0) == [1])
        #expect(machine.taskFinished(0, hasFailed: true) == [])
        #expect(machine.taskFinished(1, hasFailed: false) == [])
        #expect(machine.wait(of: 2) == .tasks([0], further: 0))
        #expect(machine.failureAccepted(of: 0) == [2])
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
        _ = machine.taskAdded(.mainQueue)
        #expect(machine.started() == [])
        #expect(machine.openStages == 1)
        #expect(machine.gateOpened("other") == [])
        #expect(machine.gateOpened("screen") == [0])
        #expect(machine.gateOpened("screen") == [])
    }

    // W6
    @Test func gateWaitsBesidesTheStages() {
        var machine = Machine()
        _ = machine.taskAdded(.mainQueue)
        machine.gateAdded("screen")
        _ = machine.taskAdded(.concurrentQueue)
        _ = machine.groupAdded([.mainQueue, .concurrentQueue])
        #expect(machine.started() == [0])
        #expect(machine.gateOpened("screen") == [1])
        #expect(machine.taskFinished(0, hasFailed: false) == [3, 2])
    }

    @Test func taskAddedToAnOpenStageStartsAtOnce() {
        var machine = Machine()
        #expect(machine.started() == [])
        #expect(machine.openStages == 0)
        #expect(machine.taskAdded(.mainQueue) == [0])
        #expect(machine.openStages == 1)
        #expect(machine.taskAdded(.concurrentQueue) == [1])
        #expect(machine.taskAdded(.mainQueue) == [])
        #expect(machine.taskFinished(0, hasFailed: false) == [2])
    }
}
