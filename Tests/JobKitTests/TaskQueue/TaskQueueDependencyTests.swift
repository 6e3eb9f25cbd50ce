import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

final class TaskQueueDependencyTests: XCTestCase {
    /// Q2: dependencies between queues of either kind, and operations of either kind.
    func testDependenciesAcrossQueues() async {
        let (first, second) = (TaskQueue(maxConcurrentOperationCount: 1), TaskQueue())
        let third = OperationQueue()
        let log = Guarded<[Int]>([])
        let ended = expectation(description: "all have ended")
        var operations: [Operation] = []
        for number in 0..<300 {
            let work: @Sendable () -> Void = {
                log.withLock { $0.append(number) }
                if number == 299 { ended.fulfill() }
            }
            let operation: Operation
            if number % 2 == 0 {
                operation = BlockOperation(block: work)
            } else {
                operation = ScriptedOperation {
                    work()
                    $0.finish()
                }
            }
            operations.last.map { operation.addDependency($0) }
            operations.append(operation)
        }
        for (number, operation) in operations.enumerated().reversed() {
            switch number / 2 % 3 {
            case 0: first.addOperation(operation)
            case 1: second.addOperation(operation)
            default: third.addOperation(operation)
            }
        }
        await fulfillment(of: [ended], timeout: 300)
        XCTAssertEqual(log.withLock { $0 }, Array(0..<300))
    }

    /// Q2: a dependency is added while the operation waits, even if it was already ready.
    func testDependencyAddedWhileWaitingIsHonoured() async {
        for isPlain in [false, true] {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            queue.isSuspended = true
            let log = EventLog()
            let waiting: Operation
            if isPlain {
                waiting = BlockOperation { log.record("waiting") }
            } else {
                waiting = ScriptedOperation {
                    log.record("waiting")
                    $0.finish()
                }
            }
            queue.addOperation(waiting)
            let dependency = ScriptedOperation {
                log.record("dependency")
                $0.finish()
            }
            waiting.addDependency(dependency)
            queue.addOperation { log.record("between") }
            queue.isSuspended = false
            await log.waitForEvent("between")
            queue.addOperation(dependency)
            await drain(queue)
            XCTAssertEqual(log.events, ["between", "dependency", "waiting"])
        }
    }

    /// Q2: removing the dependency ends the wait.
    func testRemovedDependencyIsNotWaitedFor() async {
        let queue = TaskQueue()
        let (operation, never) = (ConcurrentOperation(), ConcurrentOperation())
        operation.addDependency(never)
        queue.addOperation(operation)
        XCTAssertFalse(operation.isReady)
        operation.removeDependency(never)
        await drain(queue)
        XCTAssertTrue(operation.isFinished)
    }

    /// Q7: a cancelled waiting operation stops waiting, and never enters `main()`.
    func testCancelledOperationsNoLongerWait() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let never = ConcurrentOperation()
        let entered = Atomic(0)
        let waiting = (0..<100)
            .map { _ in
                ScriptedOperation {
                    entered.add(1, ordering: .relaxed)
                    $0.finish()
                }
            }
        for operation in waiting { operation.addDependency(never) }
        let plain = BlockOperation { entered.add(1, ordering: .relaxed) }
        plain.addDependency(never)
        queue.addOperations(waiting + [plain])
        queue.cancelAllOperations()
        await drain(queue)
        XCTAssertEqual(entered.load(ordering: .relaxed), 0)
        XCTAssertTrue(plain.isFinished)
        XCTAssertTrue(waiting.allSatisfy { $0.isFinished && $0.isCancelled })
    }
}
