import JobKit
import JobKitTesting
import XCTest

/// A running chain retains its manager and tasks, and nothing is retained afterwards.
final class AppStartRetentionTests: XCTestCase {
    /// Retains the delegate of its last start, strongly or weakly.
    private final class HoldingTask: AppStartTask {
        let taskName = "holding"
        private let isStrong: Bool
        private var strong: (any AppStartTaskDelegate)?
        private weak var weak: (any AppStartTaskDelegate)?

        init(isStrong: Bool) { self.isStrong = isStrong }

        func start(delegate: any AppStartTaskDelegate) {
            weak = delegate
            if isStrong { strong = delegate }
        }

        func complete() { weak?.startupTaskDidComplete(self) }

        func fail() { weak?.startupTaskDidFail(self, error: StartupFailure(reason: "no")) }
    }

    private final class HoldingManager: AppStartTaskManager, @unchecked Sendable {
        private var held: (any AppStartTaskDelegate)?

        override func start(delegate: any AppStartTaskDelegate) {
            held = delegate
            delegate.startupTaskDidComplete(self)
        }
    }

    func testManagerNeverStartedIsReleasedWithItsTasks() {
        weak var manager: AppStartTaskManager?
        weak var task: SampleStartupTask?
        do {
            let made = (AppStartTaskManager(), SampleStartupTask("a"))
            (manager, task) = made
            made.0.addStartupTask(made.1)
            made.0.addStartupTask(made.0)
        }
        XCTAssertNil(manager)
        XCTAssertNil(task)
    }

    func testRunningChainKeepsItsManagerUntilTheEnd() {
        for isStrong in [true, false] {
            weak var manager: AppStartTaskManager?
            let task = HoldingTask(isStrong: isStrong)
            do {
                let made = AppStartTaskManager()
                manager = made
                made.addStartupTask(task)
                made.startAllTasks()
            }
            XCTAssertNotNil(manager)
            task.complete()
            XCTAssertNil(manager, "the delegate is held strongly: \(isStrong)")
        }
    }

    func testRunningChainRetainsATaskUntilItsEndIsNotified() {
        let manager = AppStartTaskManager()
        weak var task: HoldingTask?
        do {
            let made = HoldingTask(isStrong: true)
            task = made
            manager.addStartupTask(made)
            manager.startAllTasks()
        }
        XCTAssertNotNil(task)
        task?.complete()
        XCTAssertNil(task)
    }

    func testManagerThatRetainsItsDelegateIsReleased() {
        weak var manager: AppStartTaskManager?
        do {
            let made = HoldingManager()
            manager = made
            made.startAllTasks()
        }
        XCTAssertNil(manager)
    }

    func testManagerIsReleasedAfterAFailureWithItsTasks() {
        weak var manager: AppStartTaskManager?
        weak var waiting: SampleStartupTask?
        let task = HoldingTask(isStrong: true)
        do {
            let made = (AppStartTaskManager(), SampleStartupTask("a"))
            (manager, waiting) = made
            for task: any AppStartTask in [task, made.1, task] { made.0.addStartupTask(task) }
            made.0.startAllTasks()
        }
        task.fail()
        XCTAssertNil(manager)
        XCTAssertNil(waiting)
    }

    func testTaskAddedTwiceThatRetainsItsDelegateIsReleasedAfterAFailure() {
        weak var task: HoldingTask?
        do {
            let made = HoldingTask(isStrong: true)
            task = made
            let manager = AppStartTaskManager()
            for _ in 0..<2 { manager.addStartupTask(made) }
            manager.startAllTasks()
            made.fail()
        }
        XCTAssertNil(task)
    }

    func testFinishedTasksGoWhileTheChainRuns() {
        let manager = AppStartTaskManager()
        weak var last: SampleStartupTask?
        var left = 0
        for _ in 0..<100 {
            let task = SampleStartupTask("a") {
                left += last == nil ? 0 : 1
                last = $0
                $1.startupTaskDidComplete($0)
            }
            manager.addStartupTask(task)
        }
        manager.startAllTasks()
        XCTAssertEqual(left, 0)
    }

    func testDelegateIsHeldWeakly() {
        let manager = AppStartTaskManager()
        do {
            let delegate = LoggingManagerDelegate(EventLog())
            manager.delegate = delegate
            XCTAssertTrue(manager.delegate === delegate)
        }
        XCTAssertNil(manager.delegate)
        manager.startAllTasks()
    }

    /// Removed tasks are released outside the lock, so that their `deinit` may call the manager.
    func testTaskThatCallsTheManagerInDeinitDoesNotDeadlock() {
        final class LastWords: AppStartTask {
            let taskName = "last words"
            private let manager: AppStartTaskManager

            init(_ manager: AppStartTaskManager) { self.manager = manager }

            deinit { manager.addStartupTask(SampleStartupTask("added at the end")) }

            func start(delegate: any AppStartTaskDelegate) {
                delegate.startupTaskDidComplete(self)
            }
        }
        let log = EventLog()
        let delegate = LoggingManagerDelegate(log)
        let manager = AppStartTaskManager()
        manager.delegate = delegate
        for _ in 0..<2 { manager.addStartupTask(LastWords(manager)) }
        manager.removeAllStartupTasks()
        manager.startAllTasks()
        XCTAssertEqual(log.events.filter { $0 == "end of added at the end" }.count, 2)
    }
}
