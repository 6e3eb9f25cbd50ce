import Foundation
import JobKit
import XCTest

/// The names and signatures of `KeyedQueue` on which users' code depends.
final class ContractKeyedQueue: XCTestCase {
    func testKeyedQueue() async {
        _ = KeyedQueue<String>()
        _ = KeyedQueue<Int>(OperationQueue())
        let queue = KeyedQueue<String>(
            TaskQueue.shared,
            name: "uploads",
            limitPerKey: 1,
            maxConcurrentOperationCount: TaskQueue.defaultMaxConcurrentOperationCount
        )
        XCTAssertEqual(queue.name, "uploads")
        XCTAssertEqual(KeyedQueue<Int>().name, "KeyedQueue")
        queue.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
        XCTAssertEqual(queue.maxConcurrentOperationCount, Int.max)
        queue.isSuspended = true
        let _: Bool = queue.isSuspended
        queue.isSuspended = false
        queue.addOperation(ConcurrentOperation())
        queue.addOperation(ConcurrentOperation(), keys: ["a", "b"])
        let _: Operation = queue.addOperation(
            BlockOperation {},
            keys: ["a"],
            duplicates: .append,
            on: TaskQueue.shared
        )
        for policy in [DuplicatePolicy.append, .replace, .keep, .join] {
            let view: any OperationScheduling = queue.keyed("a", "b", duplicates: policy)
            view.addOperation(ConcurrentOperation())
        }
        let _: any OperationScheduling = queue.keyed(["a"], duplicates: .keep, on: nil)
        let _: any OperationScheduling = queue.keyed(Set(["a"]))
        let _: Int = queue.operationCount
        let _: [Operation] = queue.operations(for: "a")
        let _: String? = queue.reasonNotStarted(ConcurrentOperation())
        queue.cancelOperations(for: "a")
        queue.cancelAllOperations()
        await queue.waitForAllOperations()
        let _: any OperationScheduling & Sendable = queue
        let _: any Sendable = DuplicatePolicy.join
    }

    func testViewsInJobs() async throws {
        let uploads = KeyedQueue<Int>()
        let job = JobController(queue: uploads.keyed(1))
        job.trackAndQueue(ClosureOperation {}, on: uploads.keyed(2))
        job.trackAndQueue(ClosureOperation {})
        try await job.run(on: uploads.keyed(3))
    }
}
