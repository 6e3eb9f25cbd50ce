import Foundation
import JobKit
import JobKitTesting
import XCTest

final class OperationFinishTests: XCTestCase {
    func testReturnsWhenTheOperationHasFinished() async {
        let gate = Gate()
        let operation = AsyncOperation { await gate.opened() }
        TaskQueue.shared.addOperation(operation)
        let waiters = (0..<10).map { _ in Task { await operation.waitForFinish() } }
        gate.open()
        for waiter in waiters { await waiter.value }
        XCTAssertTrue(operation.isFinished)
    }

    func testReturnsAtOnceForAFinishedOperation() async {
        let operation = BlockOperation {}
        operation.start()
        await operation.waitForFinish()
    }

    func testReturnsForACancelledOperationWhenItIsStarted() async {
        let operation = ConcurrentOperation()
        operation.cancel()
        OperationQueue().addOperation(operation)
        await operation.waitForFinish()
        XCTAssertTrue(operation.isFinished)
    }
}
