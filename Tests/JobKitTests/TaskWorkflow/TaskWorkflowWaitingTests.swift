import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Conditions that tasks of a workflow wait for in addition to their stages.
final class TaskWorkflowWaitingTests: XCTestCase {
    // W6
    func testDependenciesCountInAdditionToTheStages() async {
        let (log, gate) = (EventLog(), Gate())
        let slow = logging("slow", log, queue: .concurrentQueue, after: gate)
        let (main, other) = (logging("main", log), logging("other", log, queue: .concurrentQueue))
        main.addDependency(slow)
        let outside = BlockOperation { log.record("outside") }
        other.addDependency(main)
        other.addDependency(outside)
        let workflow = TaskWorkflow(name: "Launch")
        for task in [slow, logging("first", log), main, other] { workflow.addTask(task) }
        await finish(workflow) {
            await log.waitForEvent("first on main")
            XCTAssertEqual(log.events, ["first on main"])
            gate.open()
            await log.waitForEvent("main on main")
            OperationQueue().addOperation(outside)
        }
        XCTAssertEqual(log.events, ["first on main", "slow", "main on main", "outside", "other"])
    }

    // W6
    func testRemovedDependencyClosesNoCycle() async {
        let (log, gate, outside) = (EventLog(), Gate(), BlockOperation {})
        let first = logging("first", log, queue: .concurrentQueue)
        let second = logging("second", log, queue: .concurrentQueue, after: gate)
        let third = logging("third", log, queue: .concurrentQueue)
        first.addDependency(outside)
        second.addDependency(first)
        let workflow = TaskWorkflow(name: "Launch")
        for task in [first, second] { workflow.addTask(task) }
        await finish(workflow) {
            second.removeDependency(first)
            third.addDependency(second)
            first.addDependency(third)
            workflow.addTask(third)
            gate.open()
            await log.waitForEvent("third")
            OperationQueue().addOperation(outside)
        }
        XCTAssertEqual(log.events, ["second", "third", "first"])
    }

    // W6
    func testCancelledMainQueueTaskNoLongerWaitsForItsDependencies() async {
        let log = EventLog()
        let never = ConcurrentOperation()
        let task = logging("a", log)
        task.addDependency(never)
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(logging("first", log))
        workflow.addTask(task)
        workflow.addTask(logging("b", log))
        await finish(workflow) {
            await log.waitForEvent("first on main")
            task.cancel()
        }
        XCTAssertEqual(log.events, ["first on main", "b on main"])
    }

    // W6
    func testGateHoldsTasksAddedAfterIt() async {
        let log = EventLog()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.openGate("screen")
        workflow.addTask(logging("a", log))
        workflow.addGate("screen")
        workflow.addTask(logging("b", log, queue: .concurrentQueue))
        workflow.addTask(logging("c", log))
        await finish(workflow) {
            await log.waitForEvent("a on main")
            XCTAssertEqual(log.events, ["a on main"])
            workflow.openGate("screen")
        }
        XCTAssertEqual(Set(log.events), ["a on main", "b", "c on main"])
    }

    // J14
    func testSuspendedWorkflowOpensNoStage() async {
        let log = EventLog()
        let workflow = TaskWorkflow(name: "Launch")
        let suspended = Gate()
        workflow.addTask(
            ClosureTask(name: "a") { [weak workflow] _ in
                workflow?.isSuspended = true
                suspended.open()
            }
        )
        workflow.addTask(logging("b", log))
        workflow.addTask(logging("c", log, queue: .concurrentQueue, after: suspended))
        await finish(workflow) {
            await log.waitForEvent("c")
            XCTAssertEqual(log.events, ["c"])
            workflow.isSuspended = false
        }
        XCTAssertEqual(log.events, ["c", "b on main"])
    }
}
