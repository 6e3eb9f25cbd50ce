import Foundation
import JobKitTesting
import XCTest

final class GateTests: XCTestCase {
    func testOpenedSuspendsUntilTheGateIsOpen() async {
        let gate = Gate()
        let log = EventLog()
        let task = Task {
            log.record("came")
            await gate.waitUntilOpen()
            log.record("passed")
        }
        await log.waitForEvent("came")
        XCTAssertFalse(gate.isOpen)
        XCTAssertEqual(log.events, ["came"])
        gate.open()
        await task.value
        XCTAssertEqual(log.events, ["came", "passed"])
        XCTAssertTrue(gate.isOpen)
    }

    func testWaitBlocksItsThreadUntilTheGateIsOpen() async {
        let gate = Gate()
        let log = EventLog()
        Thread.detachNewThread {
            log.record("came")
            gate.wait()
            log.record("passed")
        }
        await log.waitForEvent("came")
        XCTAssertEqual(log.events, ["came"])
        gate.open()
        await log.waitForEvent("passed")
    }

    func testOpenGateDoesNotBlock() async {
        let gate = Gate()
        gate.open()
        gate.open()
        await bounded { await gate.waitUntilOpen() }
        passSynchronously(gate)
    }

    func testManyWaitersOfBothKindsPass() async {
        let gate = Gate()
        let passed = expectation(description: "all have passed")
        passed.expectedFulfillmentCount = 120
        for _ in 0..<20 {
            Thread.detachNewThread {
                gate.wait()
                passed.fulfill()
            }
        }
        for _ in 0..<100 {
            Task {
                await gate.waitUntilOpen()
                passed.fulfill()
            }
        }
        gate.open()
        await fulfillment(of: [passed], timeout: 300)
    }

    func testOpenFromManyThreadsReleasesEachWaiterOnce() async {
        for _ in 0..<200 {
            let gate = Gate()
            let waiter = Task { await gate.waitUntilOpen() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { gate.open() } }
            }
            await bounded { await waiter.value }
        }
    }

    func testCancelledTaskKeepsWaiting() async {
        let gate = Gate()
        let log = EventLog()
        let task = Task {
            log.record("came")
            await gate.waitUntilOpen()
            XCTAssertTrue(gate.isOpen)
        }
        await log.waitForEvent("came")
        task.cancel()
        gate.open()
        await task.value
    }

    func testWritesBeforeOpeningAreVisibleAfterPassing() async {
        // Without a lock here, the thread sanitizer reports a gate that does not order accesses.
        final class Box: @unchecked Sendable { var value = 0 }
        let box = Box()
        let gate = Gate()
        let passed = expectation(description: "passed")
        Thread.detachNewThread {
            gate.wait()
            XCTAssertEqual(box.value, 1)
            passed.fulfill()
        }
        let task = Task {
            await gate.waitUntilOpen()
            XCTAssertEqual(box.value, 1)
        }
        box.value = 1
        gate.open()
        await task.value
        await fulfillment(of: [passed], timeout: 300)
    }

    private func passSynchronously(_ gate: Gate) {
        gate.wait()
    }
}
