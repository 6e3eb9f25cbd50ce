import Foundation
import JobKit
import JobKitTesting
import XCTest

final class StepQueueTests: XCTestCase {
    private final class Fan: JobController, @unchecked Sendable {
        let log = EventLog()

        override func main() {
            for number in 1...3 {
                let task = BlockOperation {}
                task.name = "\(number)"
                trackAndQueue(task)
            }
            let task = ConcurrentOperation()
            task.name = "4"
            trackAndQueue(task)
        }

        override func taskFinished(_ task: Operation) { log.record(task.name ?? "") }
        override func allTasksFinished() { log.record("all") }
    }

    func testEachStepReturnsWhenItsCallbacksHave() {
        let queue = StepQueue()
        let job = Fan(queue: queue)
        XCTAssertNil(queue.runNext())
        job.startJob(on: queue)
        XCTAssertEqual(queue.held, [job])
        XCTAssertEqual(queue.runNext(), job)
        XCTAssertEqual(queue.held.map(\.name), ["1", "2", "3", "4"])
        queue.runNext()
        XCTAssertEqual(job.log.events, ["1"])
        queue.runNext()
        queue.runNext()
        XCTAssertEqual(job.log.events, ["1", "2", "3"])
        queue.runNext()
        XCTAssertEqual(job.log.events, ["1", "2", "3", "4", "all"])
        XCTAssertTrue(job.isFinished)
        XCTAssertNil(queue.runNext())
    }

    func testOrderIsDrawnFromTheSeed() {
        func order(seed: UInt64) -> [String] {
            let queue = StepQueue()
            let job = Fan(queue: queue)
            job.startJob(on: queue)
            queue.runAll(seed: seed)
            XCTAssertTrue(job.isFinished)
            return job.log.events
        }
        XCTAssertEqual(order(seed: 7), order(seed: 7))
        XCTAssertGreaterThan(Set((0..<20).map(order(seed:))).count, 5)
    }

    /// Ready operations are found among many that are not ready.
    func testOneReadyOperationAmongHundredsIsDrawn() {
        let queue = StepQueue()
        let log = EventLog()
        let tasks = (0..<300)
            .map { number in
                BlockOperation { log.record("\(number)") }
            }
        for (task, previous) in zip(tasks.dropFirst(), tasks) { task.addDependency(previous) }
        for task in tasks.reversed() { queue.addOperation(task) }
        queue.runAll(seed: 3)
        XCTAssertEqual(log.events, (0..<300).map { "\($0)" })
        XCTAssertEqual(queue.held, [])
    }

    func testOperationWaitsForItsDependencies() {
        let queue = StepQueue()
        let (first, second) = (ConcurrentOperation(), ConcurrentOperation())
        second.addDependency(first)
        queue.addOperation(second)
        XCTAssertNil(queue.runNext())
        queue.addOperation(first)
        XCTAssertEqual(queue.runNext(), first)
        XCTAssertEqual(queue.runNext(), second)
    }
}
