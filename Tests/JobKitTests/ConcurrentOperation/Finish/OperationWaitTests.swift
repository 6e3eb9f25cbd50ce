import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// `waitForFinish()`, for operations of every class.
final class OperationWaitTests: XCTestCase {
    private static func operations(heldAt gate: Gate) -> [Operation] {
        [
            BlockOperation { gate.wait() }, UserOperation("user"),
            AsyncOperation { await gate.waitUntilOpen() },
            ScriptedJob { $0.trackAndQueue(AsyncOperation { await gate.waitUntilOpen() }) },
        ]
    }

    func testReturnsWhenTheOperationHasFinished() async {
        for runner in OperationRunner.allCases {
            let gate = Gate()
            for operation in Self.operations(heldAt: gate) {
                let waiters = (0..<10)
                    .map { _ in
                        Task {
                            await operation.waitForFinish()
                            XCTAssertTrue(operation.isFinished)
                        }
                    }
                runner.run(operation)
                gate.open()
                await bounded { for waiter in waiters { await waiter.value } }
            }
        }
    }

    func testReturnsAtOnceForAFinishedOperation() async {
        for operation in [BlockOperation {}, ClosureOperation {}] {
            operation.start()
            await bounded { await operation.waitForFinish() }
        }
    }

    // No code of the operation will run, and perhaps nothing starts it.
    func testWaitForAnOperationCancelledBeforeItsStartReturnsAtOnce() async {
        let (before, after) = (ConcurrentOperation(), HeldOperation(stopsWhenCancelled: false))
        before.cancel()
        await bounded { await before.waitForFinish() }
        XCTAssertFalse(before.isFinished)
        let waiter = Task { await after.waitForFinish() }
        await eventually { after.hasWaiter }
        after.cancel()
        await bounded { await waiter.value }
    }

    // A plain operation finishes when it is started, as in Foundation.
    func testWaitsForACancelledPlainOperationUntilItIsStarted() async {
        let operation = BlockOperation {}
        operation.cancel()
        let log = EventLog()
        let waiter = Task {
            await operation.waitForFinish()
            log.record("waited")
        }
        log.record("start")
        operation.start()
        await bounded { await waiter.value }
        XCTAssertEqual(log.events, ["start", "waited"])
    }

    func testCancelledTaskKeepsWaiting() async {
        for operation in [
            UserOperation("user", isHeld: true), HeldOperation(stopsWhenCancelled: false),
        ] {
            let log = EventLog()
            let (asked, waiting) = (Gate(), Gate())
            let waiter = Task {
                await asked.waitUntilOpen()
                waiting.open()
                await operation.waitForFinish()
                log.record("waited")
            }
            waiter.cancel()
            asked.open()
            await wait(for: waiting)
            operation.start()
            log.record("finish")
            (operation as? UserOperation)?.complete()
            (operation as? HeldOperation)?.finish()
            await bounded { await waiter.value }
            XCTAssertEqual(log.events, ["finish", "waited"])
        }
    }

    // O6
    func testCompletionBlockIsLeftAlone() async {
        let called = expectation(description: "completion block")
        let operation = BlockOperation {}
        operation.completionBlock = { called.fulfill() }
        let waiter = Task { await operation.waitForFinish() }
        operation.start()
        await bounded { await waiter.value }
        await fulfillment(of: [called], timeout: 300)
    }

    func testWaitersLeaveNothingBehind() async {
        weak var released: BlockOperation?
        do {
            let operation = BlockOperation {}
            released = operation
            let waiters = (0..<10).map { _ in Task { await operation.waitForFinish() } }
            operation.start()
            await bounded { for waiter in waiters { await waiter.value } }
        }
        await eventually { released == nil }
    }

    func testWaitThatRacesTheFinishReturns() async {
        await forEachSeed(1...500) { random in
            let operation: Operation = random.chance(50) ? BlockOperation {} : ClosureOperation {}
            let waiters = (0..<3).map { _ in Task { await operation.waitForFinish() } }
            DispatchQueue.global().async { operation.start() }
            await bounded { for waiter in waiters { await waiter.value } }
        }
    }
}
