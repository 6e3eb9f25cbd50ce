import JobKit
import JobKitTesting
import XCTest

final class AppStartTaskManagerTests: XCTestCase {
    private let log = EventLog()
    private lazy var delegate = LoggingManagerDelegate(log)
    private lazy var manager = {
        let manager = AppStartTaskManager()
        manager.delegate = delegate
        return manager
    }()

    /// A task that logs its start and completes in it.
    private func task(_ name: String) -> SampleStartupTask {
        SampleStartupTask(name) { [log] task, delegate in
            log.record(name)
            delegate.startupTaskDidComplete(task)
        }
    }

    /// Returns a task that logs its start and leaves reporting to the test.
    private func silentTask(
        _ name: String,
        _ taken: @escaping (any AppStartTaskDelegate) -> Void = { _ in }
    ) -> SampleStartupTask {
        SampleStartupTask(name) { [log] _, delegate in
            log.record(name)
            taken(delegate)
        }
    }

    // A1
    func testNewManagerIsItsOwnFirstTask() {
        manager.addStartupTask(task("a"))
        manager.startAllTasks()
        XCTAssertEqual(
            log.events,
            ["end of AppStartTaskManager", "a", "end of a", "all completed"]
        )
    }

    // A1
    func testManagerIsTheFirstTaskAgainAfterRemovingAll() {
        manager.addStartupTask(task("a"))
        manager.removeAllStartupTasks()
        manager.addStartupTask(task("b"))
        manager.startAllTasks()
        XCTAssertEqual(
            log.events,
            ["end of AppStartTaskManager", "b", "end of b", "all completed"]
        )
    }

    // A1
    func testEmptyQueueCompletesAtOnce() {
        manager.removeStartupTask(manager)
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["all completed"])
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["all completed", "all completed"])
    }

    // A1
    func testNextTaskStartsOnlyAfterTheCompletionOfTheLast() {
        let first = silentTask("a")
        manager.removeStartupTask(manager)
        manager.addStartupTask(first)
        manager.addStartupTask(task("b"))
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["a"])
        manager.startupTaskDidComplete(first)
        XCTAssertEqual(log.events, ["a", "end of a", "b", "end of b", "all completed"])
    }

    // A1
    func testFailureStopsTheChainAndIsNotifiedOnce() {
        manager.removeStartupTask(manager)
        manager.addStartupTask(
            SampleStartupTask("a") { task, delegate in
                delegate.startupTaskDidFail(task, error: StartupFailure(reason: "no network"))
                delegate.startupTaskDidFail(task, error: StartupFailure(reason: "again"))
                delegate.startupTaskDidComplete(task)
            }
        )
        manager.addStartupTask(task("b"))
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["a failed: no network"])
        manager.startAllTasks()
        XCTAssertEqual(log.events.dropFirst(), ["b", "end of b", "all completed"])
    }

    // A1
    func testStartInsideTheFailureContinuesWithTheNext() {
        delegate.onFailure = { [manager] in manager.startAllTasks() }
        manager.removeStartupTask(manager)
        manager.addStartupTask(
            SampleStartupTask("a") {
                $1.startupTaskDidFail($0, error: StartupFailure(reason: "no network"))
            }
        )
        manager.addStartupTask(task("b"))
        manager.startAllTasks()
        XCTAssertEqual(
            log.events,
            ["a failed: no network", "b", "end of b", "all completed"]
        )
    }

    // A1
    func testStartWhileAChainRunsDoesNothing() {
        let first = silentTask("a") { [manager] _ in manager.startAllTasks() }
        manager.removeStartupTask(manager)
        manager.addStartupTask(first)
        manager.addStartupTask(task("b"))
        manager.startAllTasks()
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["a"])
        manager.startupTaskDidComplete(first)
        XCTAssertEqual(log.events.filter { $0 == "all completed" }.count, 1)
    }

    // A1
    func testSecondWordIsIgnored() {
        manager.removeStartupTask(manager)
        manager.addStartupTask(
            SampleStartupTask("a") { task, delegate in
                delegate.startupTaskDidComplete(task)
                delegate.startupTaskDidComplete(task)
                delegate.startupTaskDidFail(task, error: StartupFailure(reason: "too late"))
            }
        )
        manager.addStartupTask(silentTask("b"))
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["end of a", "b"])
    }

    // A1
    func testCompletionOfATaskOutOfTurnIsIgnored() {
        var delegates: [any AppStartTaskDelegate] = [manager]
        let tasks = ["a", "b", "c"].map { silentTask($0) { delegates.append($0) } }
        manager.removeStartupTask(manager)
        for task in tasks { manager.addStartupTask(task) }
        manager.startAllTasks()
        manager.startupTaskDidComplete(tasks[0])
        XCTAssertEqual(log.events, ["a", "end of a", "b"])
        for delegate in delegates {
            for task in [tasks[0], tasks[2]] {
                delegate.startupTaskDidComplete(task)
                delegate.startupTaskDidFail(task, error: StartupFailure(reason: "out of turn"))
            }
        }
        XCTAssertEqual(log.events, ["a", "end of a", "b"])
        // The current task may report to any of them.
        delegates[1].startupTaskDidComplete(tasks[1])
        XCTAssertEqual(log.events.last, "c")
    }

    // A1
    func testLateSecondWordOfATaskAddedTwiceDoesNotEndItsSecondTurn() {
        var delegates: [any AppStartTaskDelegate] = []
        let twice = silentTask("a") { delegates.append($0) }
        manager.removeStartupTask(manager)
        manager.addStartupTask(twice)
        manager.addStartupTask(twice)
        manager.startAllTasks()
        delegates[0].startupTaskDidComplete(twice)
        XCTAssertEqual(log.events, ["a", "end of a", "a"])
        delegates[0].startupTaskDidComplete(twice)
        delegates[0].startupTaskDidFail(twice, error: StartupFailure(reason: "too late"))
        XCTAssertEqual(log.events, ["a", "end of a", "a"])
        delegates[1].startupTaskDidComplete(twice)
        XCTAssertEqual(log.events, ["a", "end of a", "a", "end of a", "all completed"])
    }

    // A1
    func testCompletionIsNotifiedBeforeTheNextStartAndMayAddTasks() {
        delegate.onCompletion = { [unowned self] task in
            if task === manager { manager.addStartupTask(self.task("added")) }
        }
        manager.startAllTasks()
        XCTAssertEqual(
            log.events,
            ["end of AppStartTaskManager", "added", "end of added", "all completed"]
        )
    }

    func testRunningTaskKeepsItsTurnWhenAllAreRemoved() {
        let first = silentTask("a")
        manager.removeStartupTask(manager)
        manager.addStartupTask(first)
        manager.addStartupTask(task("b"))
        manager.startAllTasks()
        manager.removeAllStartupTasks()
        manager.startupTaskDidComplete(first)
        XCTAssertEqual(
            log.events,
            ["a", "end of a", "end of AppStartTaskManager", "all completed"]
        )
    }

    func testRemovedTaskDoesNotRunAtAnyPosition() {
        let twice = task("a")
        for task in [twice, task("b"), twice] { manager.addStartupTask(task) }
        manager.removeStartupTask(twice)
        manager.startAllTasks()
        XCTAssertFalse(log.events.contains("a"))
        XCTAssertEqual(log.events.last, "all completed")
    }

    // A1: a report from another thread while start(delegate:) runs waits for its return.
    func testNextTaskWaitsForTheReturnOfStart() async {
        let spoke = expectation(description: "the word was given on another thread")
        let release = Gate()
        manager.removeStartupTask(manager)
        manager.addStartupTask(
            SampleStartupTask("a") { [log, manager] task, _ in
                nonisolated(unsafe) let task = task
                Thread.detachNewThread {
                    manager.startupTaskDidComplete(task)
                    spoke.fulfill()
                }
                release.wait()
                log.record("a returns")
            }
        )
        manager.addStartupTask(task("b"))
        Thread.detachNewThread { [manager] in manager.startAllTasks() }
        await fulfillment(of: [spoke], timeout: 300)
        XCTAssertEqual(log.events, [])
        release.open()
        await log.waitForEvent("all completed")
        XCTAssertEqual(log.events, ["a returns", "end of a", "b", "end of b", "all completed"])
    }

    // A1
    func testManyTasksThatCompleteInStartDoNotDeepenTheStack() {
        var depths: [Int] = []
        let count = length(of: 100_000)
        for number in 0..<count {
            manager.addStartupTask(
                SampleStartupTask("step") { task, delegate in
                    if number % (count / 100) == 0 {
                        depths.append(Thread.callStackReturnAddresses.count)
                    }
                    delegate.startupTaskDidComplete(task)
                }
            )
        }
        manager.startAllTasks()
        XCTAssertEqual(log.events.count, count + 2)
        XCTAssertEqual(log.events.last, "all completed")
        XCTAssertEqual(depths.count, 100)
        XCTAssertEqual(Set(depths).count, 1, "\(depths.prefix(5)) frames")
    }

    func testSubclassDoesItsOwnWorkFirst() {
        final class Manager: AppStartTaskManager, @unchecked Sendable {
            override var taskName: String { "own work" }

            override func start(delegate: any AppStartTaskDelegate) {
                delegate.startupTaskDidFail(self, error: StartupFailure(reason: "version too old"))
            }
        }
        let manager = Manager()
        manager.delegate = delegate
        manager.addStartupTask(task("a"))
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["own work failed: version too old"])
        manager.startAllTasks()
        XCTAssertEqual(log.events.last, "all completed")
    }

    func testManagerCanBeATaskOfAnother() {
        let inner = AppStartTaskManager()
        manager.addStartupTask(inner)
        manager.startAllTasks()
        XCTAssertEqual(log.events.filter { $0 == "end of AppStartTaskManager" }.count, 2)
    }

    func testManagerWithoutDelegateRunsItsChain() {
        let manager = AppStartTaskManager()
        manager.addStartupTask(task("a"))
        manager.startAllTasks()
        XCTAssertEqual(log.events, ["a"])
    }

    func testSharedManagerIsOne() {
        XCTAssertTrue(AppStartTaskManager.shared === AppStartTaskManager.shared)
    }
}
