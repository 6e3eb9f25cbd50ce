import Foundation
import JobKit
import JobKitTesting
import XCTest

final class JobControllerTests: XCTestCase {
    func testFanOutIsDelivered() async throws {
        final class Fan: JobController, @unchecked Sendable {
            var count = 0
            var all = 0
            var groups = 0
            override func main() {
                for _ in 0..<length(of: 10_000) {
                    trackAndQueue(ConcurrentOperation()) { _ in self.count += 1 }
                }
            }
            override func taskGroupFinished(_ group: JobGroup) { groups += 1 }
            override func allTasksFinished() { all += 1 }
        }
        let job = Fan()
        try await job.run()
        XCTAssertEqual([job.count, job.groups, job.all], [length(of: 10_000), 1, 1])
    }

    func testSequentialSteps() async throws {
        let job = StepsJob()
        try await job.run()
        XCTAssertEqual(job.count, StepsJob.stepCount)
    }

    func testDeepJobsFinishInASerialQueue() async throws {
        final class Deep: JobController, @unchecked Sendable {
            let depth: Int
            init(depth: Int, queue: TaskQueue) {
                self.depth = depth
                super.init(queue: queue)
            }
            override func main() {
                guard depth > 0, let queue = queue as? TaskQueue else { return }
                trackAndQueue(Deep(depth: depth - 1, queue: queue))
            }
        }
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        try await Deep(depth: 1_000, queue: queue).run(on: queue)
        XCTAssertEqual(queue.operationCount, 0)
    }
}
