import Foundation
import JobKit
import XCTest

/// The names and signatures of `TaskQueue` on which users' code depends.
final class ContractQueues: XCTestCase {
    func testQueue() async {
        let _: TaskQueue = .shared
        _ = TaskQueue()
        let queue = TaskQueue(
            name: "work",
            maxConcurrentOperationCount: TaskQueue.defaultMaxConcurrentOperationCount,
            qualityOfService: .utility
        )
        let _: QualityOfService = queue.qualityOfService
        XCTAssertEqual(queue.name, "work")
        queue.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
        let _: Int = queue.maxConcurrentOperationCount
        queue.isSuspended = true
        queue.isSuspended = false
        queue.addOperation(ConcurrentOperation())
        queue.addOperation { @Sendable in }
        queue.addOperations([ConcurrentOperation()])
        let add: ([Operation], Bool) -> Void = addWaiting(queue)
        add([], false)
        queue.addAsynchronousOperation { (done: @escaping @Sendable ((any Error)?) -> Void) in
            done(nil)
        }
        queue.addBarrierBlock { @Sendable in }
        queue.cancelAllOperations()
        await queue.addOperationsAndWait([ConcurrentOperation()])
        await queue.waitForAllOperations()
        let _: [Operation] = queue.operations
        XCTAssertEqual(queue.operationCount, 0)
        let _: any OperationScheduling & Sendable = queue
        let _: String? = (queue as any OperationScheduling).reasonNotStarted(ConcurrentOperation())
    }

    private func addWaiting(_ queue: TaskQueue) -> ([Operation], Bool) -> Void {
        { queue.addOperations($0, waitUntilFinished: $1) }
    }

    func testBlockingWait() {
        let queue = TaskQueue()
        queue.addOperation {}
        queue.waitUntilAllOperationsAreFinished()
    }

    func testRate() async {
        let queue = RateLimitedQueue(
            TaskQueue.shared,
            limit: 1,
            per: .seconds(1),
            clock: ContinuousClock()
        )
        _ = RateLimitedQueue(OperationQueue(), limit: 1, per: .seconds(1))
        let operation = ConcurrentOperation()
        queue.addOperation(operation)
        await operation.waitForFinish()
        let _: any OperationScheduling & Sendable = queue
    }
}
