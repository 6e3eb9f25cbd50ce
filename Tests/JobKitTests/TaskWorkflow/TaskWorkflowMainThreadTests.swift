import Foundation
import JobKit
import JobKitTesting
import XCTest

/// The work on the main thread, on which these tests run.
@MainActor
final class TaskWorkflowMainThreadTests: XCTestCase {
    /// `startAndWait` is unavailable in asynchronous code, but the thread of a test may be blocked.
    private func startAndWait(_ workflow: TaskWorkflow, timeout: Duration? = nil) -> Bool {
        workflow.startAndWait(timeout: timeout)
    }

    // W2
    func testStartRunsReadyTasksInlineAndReturnsAtABarrier() async {
        let (log, gate) = (EventLog(), Gate())
        let told = expectation(description: "told")
        let delegate = SampleDelegate { _ in told.fulfill() }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = delegate
        workflow.addTask(logging("a", log))
        workflow.addBlockingTasks([
            logging("b", log), logging("c", log, queue: .concurrentQueue, after: gate),
        ])
        workflow.addTask(logging("d", log))
        workflow.start()
        XCTAssertEqual(log.events, ["a on main", "b on main"])
        XCTAssertEqual(workflow.state, .executing)
        gate.open()
        await waitForFulfillment(of: told)
        XCTAssertEqual(log.events, ["a on main", "b on main", "c", "d on main"])
    }

    // W3
    func testWorkflowThatFinishesInsideStartNotifiesItsDelegateThere() async {
        let delegate = SampleDelegate()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = delegate
        workflow.addBlockingTasks([logging("a", EventLog())])
        workflow.addTask(ClosureTask(name: "b") { _ in throw SampleError() })
        workflow.addTask(logging("c", EventLog()))
        workflow.start()
        XCTAssertEqual(delegate.log.events, ["finished on the main thread"])
    }

    // W2
    func testStartAndWaitRunsMainQueueTasksInline() async {
        let log = EventLog()
        let delegate = SampleDelegate { _ in log.record("told") }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = delegate
        workflow.addBlockingTasks([
            logging("a", log), AsyncClosureTask(name: "b") { _ in log.record("b") },
        ])
        workflow.addTask(logging("c", log))
        XCTAssertTrue(startAndWait(workflow))
        XCTAssertEqual(Set(log.events.prefix(2)), ["a on main", "b"])
        XCTAssertEqual(log.events.suffix(2), ["c on main", "told"])
    }

    // W2
    func testStartAndWaitServesANestedWorkflowToo() async {
        final class Outer: TaskWorkflow, @unchecked Sendable {
            let log = EventLog()
            override func main() {
                let inner = TaskWorkflow(name: "Inner")
                inner.addTask(logging("inner", log))
                trackAndQueue(inner)
            }
        }
        let workflow = Outer(name: "Outer")
        XCTAssertTrue(startAndWait(workflow))
        XCTAssertEqual(workflow.log.events, ["inner on main"])
    }

    // W2
    func testStartAndWaitReturnsAtItsTimeoutAndTheWorkflowContinues() async {
        let log = EventLog()
        let told = expectation(description: "told")
        let delegate = SampleDelegate { _ in told.fulfill() }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = delegate
        workflow.addTask(logging("a", log))
        workflow.addGate("screen")
        workflow.addTask(logging("b", log))
        XCTAssertFalse(startAndWait(workflow, timeout: .milliseconds(1)))
        XCTAssertEqual(log.events, ["a on main"])
        workflow.openGate("screen")
        await waitForFulfillment(of: told)
        XCTAssertEqual(log.events, ["a on main", "b on main"])
    }

    // W2: the time in which tasks run inside the call does not count.
    func testTimeoutOfStartAndWaitCountsOnlyTheWait() async {
        let timeout = Duration.seconds(1)
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(
            ClosureTask(name: "a") { _ in
                let end = ContinuousClock.now + timeout
                while ContinuousClock.now <= end { giveWay(forMicroseconds: 10_000) }
            }
        )
        workflow.addBlockingTasks([logging("b", EventLog(), queue: .concurrentQueue)])
        workflow.addTask(logging("c", EventLog()))
        XCTAssertTrue(startAndWait(workflow, timeout: timeout))
        XCTAssertEqual(workflow.state, .finished)
    }

    // W2
    func testStartAndWaitOffTheMainThreadWaitsWhereItIs() async {
        let log = EventLog()
        let delegate = SampleDelegate { _ in log.record("told") }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = delegate
        workflow.addTask(logging("a", log))
        let returned = expectation(description: "returned")
        Thread.detachNewThread {
            log.record("\(workflow.startAndWait())")
            returned.fulfill()
        }
        await waitForFulfillment(of: returned)
        XCTAssertEqual(log.events, ["a on main", "told", "true"])
    }

    // W2: other work can use the main thread while the workflow waits for a group
    func testMainThreadIsFreeWhileAGroupIsWaitedFor() async {
        let (log, gate) = (EventLog(), Gate())
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addBlockingTasks([logging("a", log, queue: .concurrentQueue, after: gate)])
        workflow.addTask(logging("b", log))
        var longest = Duration.zero
        var last = ContinuousClock.now
        workflow.start()
        for turn in 0..<2_000 {
            await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
            longest = max(longest, last.duration(to: .now))
            last = .now
            if turn == 1_000 { gate.open() }
        }
        await log.waitForEvent("b on main")
        print("The main thread's longest block during a barrier under start(): \(longest)")
    }
}
