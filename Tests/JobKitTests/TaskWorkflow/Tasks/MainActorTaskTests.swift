import Foundation
import JobKit
import JobKitTesting
import XCTest

/// A window of an app, isolated to the main actor as in UIKit.
@MainActor
private final class Window {
    struct NoScreen: Error {}

    nonisolated let log = EventLog()

    func show() { log.record("shown") }
    func showOnSecondScreen() throws { throw NoScreen() }
}

/// Launch tasks and delegates that use state of the main actor.
final class MainActorTaskTests: XCTestCase {
    // W1
    func testClosureOnMainUsesTheMainActorsState() async throws {
        let window = Window()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(
            ClosureTask(
                name: "Window",
                onMain: { context in
                    window.log.record(context["title"] as? String ?? "untitled")
                    window.show()
                }
            )
        )
        try await workflow.run(context: ["title": "Photos"])
        XCTAssertEqual(window.log.events, ["Photos", "shown"])
    }

    // W5
    func testErrorOfAClosureOnMainIsTheTasks() async throws {
        let window = Window()
        let task = ClosureTask(name: "Window", onMain: { _ in try window.showOnSecondScreen() })
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(task)
        try await workflow.run(context: [:])
        XCTAssertTrue(task.error is Window.NoScreen)
    }

    func testMethodOfAMainActorClassRunsOnTheMainThread() async throws {
        let window = Window()
        let workflow = TaskWorkflow(name: "Launch")
        let second = MethodTask(name: "Second", target: window, method: Window.showOnSecondScreen)
        workflow.addTask(MethodTask(name: "Window", target: window, method: Window.show))
        workflow.addTask(second)
        try await workflow.run(context: [:])
        XCTAssertEqual(window.log.events, ["shown"])
        XCTAssertTrue(second.error is Window.NoScreen)
    }

    // W3
    @MainActor
    func testMainActorDelegateIsNotifiedBeforeRunReturns() async throws {
        final class App: TaskWorkflowDelegate {
            var told: [TaskWorkflow.State] = []
            func workflowDidFinish(_ workflow: TaskWorkflow) { told.append(workflow.state) }
        }
        let app = App()
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = app
        workflow.addTask(AsyncClosureTask(name: "Fetch") { _ in await Task.yield() })
        try await workflow.run(context: [:])
        XCTAssertEqual(app.told, [.finished])
    }

    // O9
    func testRunOfACancelledWorkflowThrowsAfterTheDelegateIsNotified() async {
        let log = EventLog()
        let delegate = SampleDelegate { _ in log.record("told") }
        let workflow = TaskWorkflow(name: "Launch")
        workflow.delegate = delegate
        workflow.addTask(ClosureTask(name: "a") { [weak workflow] _ in workflow?.cancel() })
        do {
            try await workflow.run(context: [:])
            XCTFail("a cancelled workflow has no success")
        } catch {
            XCTAssertTrue(error is CancellationError)
        }
        XCTAssertEqual(log.events, ["told"])
    }

    // A1
    @MainActor
    func testStartUpTasksAndTheirDelegateMayBelongToTheMainActor() async {
        @MainActor final class ShowWindow: @MainActor AppStartTask {
            let window: Window
            nonisolated let taskName = "Show the window"

            init(_ window: Window) { self.window = window }

            func start(delegate: any AppStartTaskDelegate) {
                window.show()
                Task {
                    await Task.yield()
                    delegate.startupTaskDidComplete(self)
                }
            }
        }
        @MainActor final class App: @MainActor AppStartTaskManagerDelegate {
            let done: XCTestExpectation
            var completed: [String] = []

            init(_ done: XCTestExpectation) { self.done = done }

            func taskDidComplete(_ task: any AppStartTask) { completed.append(task.taskName) }
            func taskManagerDidComplete() { done.fulfill() }
            func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {}
        }
        let app = App(expectation(description: "all completed"))
        let window = Window()
        let manager = AppStartTaskManager()
        manager.callbackQueue = .main
        manager.delegate = app
        manager.addStartupTask(ShowWindow(window))
        manager.addStartupTask(ShowWindow(window))
        manager.startAllTasks()
        XCTAssertEqual(app.completed, [])
        await waitForFulfillment(of: app.done)
        XCTAssertEqual(window.log.events, ["shown", "shown"])
        XCTAssertEqual(
            app.completed,
            ["AppStartTaskManager", "Show the window", "Show the window"]
        )
    }
}
