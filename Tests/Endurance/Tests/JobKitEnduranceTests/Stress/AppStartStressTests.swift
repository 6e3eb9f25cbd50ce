import JobKit
import JobKitTesting
import Synchronization
import XCTest

/// Chains of tasks that are added, started and ended from many threads at once.
final class AppStartStressTests: XCTestCase {
    // A1: tasks run strictly one after another and once each, whichever thread reports completion
    // or failure, even if it reports twice.
    func testThreadsNeverMakeTwoTasksRunTogether() async {
        let seed = UInt64.random(in: .min ... .max)
        print("testThreadsNeverMakeTwoTasksRunTogether: seed \(seed)")
        for round in 0..<20 {
            let manager = AppStartTaskManager()
            let told = expectation(description: "every task's end was told")
            told.expectedFulfillmentCount = 4 * 100 + 1
            let delegate = RestartingDelegate(manager, told)
            manager.delegate = delegate
            let turns = Turns()
            await runOnThreads(4) { thread in
                var generator = WalkGenerator(seed: seed &+ UInt64(round * 4 + thread))
                for _ in 0..<100 {
                    manager.addStartupTask(RandomTask(generator.next(), turns))
                    if generator.next().isMultiple(of: 8) { manager.startAllTasks() }
                }
            }
            manager.startAllTasks()
            await fulfillment(of: [told], timeout: 300)
            XCTAssertEqual(turns.count, 400)
            XCTAssertFalse(turns.haveOverlapped)
        }
    }
}

/// Counts turns without a lock, so that the thread sanitizer reports overlapping turns.
private final class Turns: Sendable {
    private let isTaken = Atomic(false)
    private let overlaps = Atomic(false)
    nonisolated(unsafe) private(set) var count = 0

    var haveOverlapped: Bool { overlaps.load(ordering: .relaxed) }

    func begin() {
        if isTaken.exchange(true, ordering: .relaxed) { overlaps.store(true, ordering: .relaxed) }
        count += 1
    }

    func end() { isTaken.store(false, ordering: .relaxed) }
}

/// Succeeds or fails inside its start or on another thread, and often reports twice.
private final class RandomTask: AppStartTask, Sendable {
    let taskName = "random"
    private let turns: Turns
    private let isInline: Bool
    private let fails: Bool
    private let speaksTwice: Bool

    init(_ random: UInt64, _ turns: Turns) {
        self.turns = turns
        isInline = random & 1 == 0
        fails = random & 6 == 0
        speaksTwice = random & 8 == 0
    }

    func start(delegate: any AppStartTaskDelegate) {
        turns.begin()
        guard !isInline else { return end(delegate) }
        DispatchQueue.global().async { self.end(delegate) }
    }

    private func end(_ delegate: any AppStartTaskDelegate) {
        turns.end()
        for _ in 0...(speaksTwice ? 1 : 0) {
            if fails {
                delegate.startupTaskDidFail(self, error: StartupFailure(reason: "random"))
            } else {
                delegate.startupTaskDidComplete(self)
            }
        }
    }
}

/// Continues after every failure.
private final class RestartingDelegate: AppStartTaskManagerDelegate {
    private let manager: AppStartTaskManager
    private let told: XCTestExpectation

    init(_ manager: AppStartTaskManager, _ told: XCTestExpectation) {
        self.manager = manager
        self.told = told
    }

    func taskDidComplete(_ task: any AppStartTask) { told.fulfill() }

    func taskManagerDidComplete() {}

    func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {
        told.fulfill()
        manager.startAllTasks()
    }
}
