import Foundation
import JobKit
import XCTest

/// The names and signatures of launches and decisions on which users' code depends.
final class ContractLaunch: XCTestCase {
    // Operation forces @unchecked. The class has no stored properties.
    private final class Task: LaunchTask, @unchecked Sendable {
        override func main(context: LaunchContext) { finish() }
        override var finishesAsynchronously: Bool { true }
    }

    @MainActor private final class Delegate: TaskWorkflowDelegate {
        var count = 0
        func workflowDidFinish(_ workflow: TaskWorkflow) { count += 1 }
    }

    private final class Target: Sendable {
        func method() {}
    }

    @MainActor func testWorkflow() async throws {
        let workflow = TaskWorkflow(name: "Launch")
        let delegate = Delegate()
        workflow.delegate = delegate
        let state: TaskWorkflow.State = workflow.state
        switch state {
        case .pending, .executing, .finished: break
        }
        workflow.addTask(Task(name: "task", queue: .concurrentQueue))
        workflow.addTask(Task())
        workflow.addBlockingTasks([ClosureTask(name: "closure") { (_: LaunchContext) throws in }])
        workflow.addTask(ClosureTask(name: "queue", queue: .mainQueue) { @Sendable _ in })
        workflow.addTask(
            ClosureTask(
                name: "main",
                onMain: { @MainActor (_: LaunchContext) in delegate.count += 1 }
            )
        )
        workflow.addTask(
            AsyncClosureTask(name: "async", queue: .concurrentQueue) { (_: LaunchContext) async in }
        )
        let target = Target()
        workflow.addTask(
            MethodTask(name: "method", queue: .mainQueue, target: target, method: Target.method)
        )
        workflow.addGate("screen")
        workflow.openGate("screen")
        let context: LaunchContext = ["key": 1]
        try await workflow.run(context: context)
        let _: String = workflow.generateTimeline()
        XCTAssertEqual(delegate.count, 2)
        let _: any Sendable & JobController = workflow
        let other = TaskWorkflow(name: "other")
        other.start(context: context)
        await other.waitForFinish()
    }

    func testBlockingStart() {
        let finished: Bool = TaskWorkflow(name: "empty")
            .startAndWait(context: [:], timeout: .seconds(60))
        XCTAssertTrue(finished)
        TaskWorkflow(name: "empty").startAndWait()
    }

    private final class StartUp: AppStartTask {
        var taskName: String { "start" }
        func start(delegate: any AppStartTaskDelegate) {
            let _: any Sendable = delegate
            delegate.startupTaskDidComplete(self)
            delegate.startupTaskDidFail(self, error: MissingResultError(name: taskName))
        }
    }

    private final class Follower: AppStartTaskManagerDelegate {
        func taskDidComplete(_ task: any AppStartTask) {}
        func taskManagerDidComplete() {}
        func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {}
    }

    private final class Manager: AppStartTaskManager, @unchecked Sendable {
        override var taskName: String { "manager" }
        override func start(delegate: any AppStartTaskDelegate) {
            delegate.startupTaskDidComplete(self)
        }
    }

    func testStartUp() {
        let _: AppStartTaskManager = .shared
        let manager: AppStartTaskManager = Manager()
        let (task, follower) = (StartUp(), Follower())
        manager.delegate = follower
        manager.addStartupTask(task)
        manager.removeStartupTask(task)
        manager.removeAllStartupTasks()
        manager.startAllTasks()
        let _: any AppStartTask & AppStartTaskDelegate = manager
    }

    func testDecisions() {
        let decisions = LaunchDecisions<String>(
            priority: ["a", "b"],
            independent: ["c"],
            waitsForUnknown: true
        )
        _ = LaunchDecisions(priority: [1])
        decisions.set(.needed, for: "a")
        let need: LaunchNeed = decisions.need(for: "a")
        switch need {
        case .unknown, .needed, .notNeeded: break
        }
        let state: LaunchDecisions<String>.State? = decisions.state(of: "a")
        switch state {
        case .suspended?, .executing?, .completed?, nil: break
        }
        let _: AsyncStream<LaunchNeed> = decisions.updates(for: "a")
        decisions.whenPresented("a") { @Sendable in }
        decisions.whenWithdrawn("a") { @Sendable in }
        decisions.open()
        decisions.complete("a")
        decisions.prioritize("b", before: "a")
    }
}
