import Foundation
import JobKit
import JobKitTesting
import XCTest

final class TaskWorkflowTests: XCTestCase {
    // W1
    func testMainQueueTasksRunInTheOrderAddedOnTheMainThread() async {
        let log = EventLog()
        let workflow = TaskWorkflow(name: "Launch")
        for name in ["a", "b", "c"] { workflow.addTask(logging(name, log)) }
        await finish(workflow)
        XCTAssertEqual(log.events, ["a on main", "b on main", "c on main"])
    }

    // W1, W2
    func testTaskBehindAGroupStartsWhenAllOfThatGroupAndOfNoOtherHaveFinished() async {
        let (log, slow, inGroup) = (EventLog(), Gate(), Gate())
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(logging("slow", log, queue: .concurrentQueue, after: slow))
        workflow.addBlockingTasks([
            logging("a", log), logging("b", log, queue: .concurrentQueue, after: inGroup),
        ])
        workflow.addBlockingTasks([])
        workflow.addTask(logging("c", log))
        await finish(workflow) {
            await log.waitForEvent("a on main")
            XCTAssertEqual(log.events, ["a on main"])
            inGroup.open()
            await log.waitForEvent("c on main")
            slow.open()
        }
        XCTAssertEqual(log.events, ["a on main", "b", "c on main", "slow"])
    }

    // W1
    func testTaskThatIsCancelledInsideMainFinishesWhenItReturns() async {
        let (log, began, release) = (EventLog(), Gate(), Gate())
        let task = ClosureTask(name: "a", queue: .concurrentQueue) { _ in
            began.open()
            release.wait()
            log.record("returned")
        }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addBlockingTasks([task])
        workflow.addTask(logging("b", log))
        await finish(workflow) {
            await began.waitUntilOpen()
            task.cancel()
            XCTAssertTrue(task.isExecuting)
            release.open()
        }
        XCTAssertEqual(log.events, ["returned", "b on main"])
        guard case .cancelled = task.outcome else { return XCTFail("\(task.outcome as Any)") }
    }

    // W1
    func testFinishInsideMainTakesEffectWhenItReturns() async {
        final class Early: LaunchTask, @unchecked Sendable {
            var wasFinished: Bool?
            override func main(context: LaunchContext) {
                finish(with: SampleError())
                finish()
                wasFinished = isFinished
            }
        }
        let task = Early()
        XCTAssertEqual(task.name, "Early")
        task.start()
        XCTAssertEqual(task.wasFinished, false)
        XCTAssertTrue(task.error is SampleError)
    }

    // W1
    func testAsynchronousTaskHasRunWhenMainReturnsAndEndsItsGroupWhenItFinishes() async {
        final class Later: LaunchTask, @unchecked Sendable {
            override var finishesAsynchronously: Bool { true }
        }
        let log = EventLog()
        let later = Later(name: "later")
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addBlockingTasks([later, logging("a", log)])
        workflow.addTask(logging("b", log))
        await finish(workflow) {
            await log.waitForEvent("a on main")
            XCTAssertTrue(later.isExecuting)
            later.finish()
        }
        XCTAssertEqual(log.events, ["a on main", "b on main"])
    }

    // W1
    func testCancelFinishesAnAsynchronousTask() async {
        final class Never: LaunchTask, @unchecked Sendable {
            override var finishesAsynchronously: Bool { true }
            let began = Gate()
            override func main(context: LaunchContext) { began.open() }
        }
        let task = Never(queue: .concurrentQueue)
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(task)
        await finish(workflow) {
            await task.began.waitUntilOpen()
            workflow.cancel()
        }
        XCTAssertTrue(task.isFinished)
    }

    // W3
    func testEmptyWorkflowNotifiesItsDelegate() async {
        await finish(TaskWorkflow(name: "Launch"))
    }

    // W3
    func testCancelledWorkflowNotifiesItsDelegateAndFinishesItsTasks() async {
        let log = EventLog()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addGate("never")
        let tasks = [logging("a", log), logging("b", log, queue: .concurrentQueue)]
        for task in tasks { workflow.addTask(task) }
        XCTAssertEqual(workflow.state, .pending)
        await finish(workflow) {
            XCTAssertEqual(workflow.state, .executing)
            workflow.cancel()
        }
        XCTAssertEqual(log.events, [])
        XCTAssertTrue(tasks.allSatisfy { $0.isFinished && $0.isCancelled })
    }

    // W3
    func testWorkflowCancelledBeforeTheStartNotifiesItsDelegate() async {
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(logging("a", EventLog()))
        workflow.cancel()
        XCTAssertEqual(workflow.state, .pending)
        await finish(workflow)
    }

    // W3
    func testContextReachesEveryTask() async {
        let log = EventLog()
        let body: @Sendable (LaunchContext) -> Void = { context in
            log.record(context["user"] as? String ?? "nobody")
        }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(ClosureTask(name: "a", body))
        workflow.addTask(ClosureTask(name: "b", queue: .concurrentQueue, body))
        workflow.addBlockingTasks([AsyncClosureTask(name: "c", body)])
        await finish(workflow, context: ["user": "Ann"])
        XCTAssertEqual(log.events, ["Ann", "Ann", "Ann"])
    }

    // W4
    func testTimelineIsCompleteWhenTheDelegateIsNotified() async {
        let log = EventLog()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addBlockingTasks([
            logging("A", log), logging("B", log, queue: .concurrentQueue),
        ])
        workflow.addTask(logging("C", log))
        await finish(workflow)
        let text = workflow.generateTimeline().replacing(#/\d+ms/#, with: "0ms")
        XCTAssertEqual(
            text,
            """
            [Launch start] - [A 0ms] - [Waiting 0ms] - [C 0ms] - [Launch finish]
                           - [B 0ms]
            """
        )
    }

    // R5
    func testStagesAreOnTheCriticalPathOfARecorder() async {
        /// Opens a gate when `b` has finished.
        final class Opener: JobObserver {
            let gate = Gate()

            func job(_ job: JobController, didRecord event: JobEvent) {
                if event.kind == .finished, event.name == "b" { gate.open() }
            }
        }
        let (log, opener, recorder) = (EventLog(), Opener(), TimelineRecorder())
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addObserver(recorder)
        workflow.addObserver(opener)
        workflow.addTask(logging("a", log))
        workflow.addBlockingTasks([
            logging("b", log), logging("c", log, queue: .concurrentQueue, after: opener.gate),
        ])
        workflow.addTask(logging("d", log))
        await finish(workflow)
        XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["a", "c", "d"])
    }

    // W5
    func testFailedTaskDoesNotStopTheLaunch() async {
        let log = EventLog()
        let failing = ClosureTask(name: "A") { _ in throw SampleError() }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addBlockingTasks([
            failing, AsyncClosureTask(name: "B") { _ in throw SampleError() },
        ])
        workflow.addTask(logging("C", log))
        await finish(workflow)
        XCTAssertEqual(log.events, ["C on main"])
        XCTAssertTrue(failing.error is SampleError)
        XCTAssertNil(workflow.error)
        XCTAssertTrue(workflow.generateTimeline().contains(#/\[A \d+ms failed\]/#))
    }

    // W5
    func testNothingBehindAFailedTaskStartsWhereItFailsTheJob() async {
        final class Strict: TaskWorkflow, @unchecked Sendable {
            override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
                .failJob
            }
        }
        let log = EventLog()
        let workflow = Strict(name: "Launch")
        workflow.addTask(ClosureTask(name: "A") { _ in throw SampleError() })
        workflow.addTask(logging("B", log))
        await finish(workflow)
        XCTAssertEqual(log.events, [])
        XCTAssertTrue(workflow.error is SampleError)
    }

    func testTaskAddsATaskWhileTheWorkflowIsExecuting() async {
        let log = EventLog()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(
            ClosureTask(name: "a") { [weak workflow] _ in
                workflow?.addBlockingTasks([logging("b", log, queue: .concurrentQueue)])
                workflow?.addTask(logging("c", log))
            }
        )
        await finish(workflow)
        XCTAssertEqual(log.events, ["b", "c on main"])
    }

    func testWorkflowIsATaskOfAJob() async throws {
        final class Parent: JobController, @unchecked Sendable {
            let log = EventLog()
            override func main() {
                let workflow = TaskWorkflow(name: "Launch")
                workflow.addTask(logging("a", log))
                trackAndQueue(workflow) { [log] in log.record("\($0.state)") }
            }
        }
        let parent = Parent(queue: TaskQueue(maxConcurrentOperationCount: 1))
        try await parent.run(on: parent.queue)
        XCTAssertEqual(parent.log.events, ["a on main", "finished"])
    }

    func testMethodTaskCallsATargetThatIsStillThere() async {
        final class Target: Sendable {
            let log = EventLog()
            func called() { log.record("called") }
        }
        let target = Target()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(MethodTask(name: "a", target: target, method: Target.called))
        workflow.addTask(MethodTask(name: "b", target: Target(), method: Target.called))
        await finish(workflow)
        XCTAssertEqual(target.log.events, ["called"])
    }

    // J10
    func testWorkflowsAreReleasedWithTheirTasks() async {
        weak var pending: TaskWorkflow?
        weak var pendingTask: LaunchTask?
        weak var finished: TaskWorkflow?
        do {
            let workflow = TaskWorkflow(name: "Never started")
            let task = logging("a", EventLog())
            workflow.addTask(task)
            (pending, pendingTask) = (workflow, task)
        }
        // Objective-C may have added them to an autorelease pool.
        await eventually { pending == nil && pendingTask == nil }
        do {
            let workflow = TaskWorkflow(name: "Launch")
            workflow.addTask(logging("a", EventLog()))
            workflow.addBlockingTasks([logging("b", EventLog(), queue: .concurrentQueue)])
            finished = workflow
            await finish(workflow)
        }
        await eventually { finished == nil }
    }
}
