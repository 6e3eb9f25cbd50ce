import Foundation
import JobKit
import Synchronization
import XCTest

final class TaskQueueScaleTests: XCTestCase {
    /// Q3: a chain of 100,000 in any order, and its release, need little stack.
    func testLongChainsInAnyOrder() async {
        var generator = WalkGenerator(seed: 3)
        for order in ["in order", "last first", "shuffled"] {
            let queue = TaskQueue(maxConcurrentOperationCount: 2)
            let reached = Atomic(0)
            let bad = Atomic(0)
            var chain = (0..<100_000)
                .map { number in
                    ScriptedOperation { operation in
                        let place = reached.add(1, ordering: .sequentiallyConsistent).oldValue
                        if place != number { bad.add(1, ordering: .relaxed) }
                        operation.finish()
                    }
                }
            for number in 1..<chain.count { chain[number].addDependency(chain[number - 1]) }
            switch order {
            case "last first": chain.reverse()
            case "shuffled": chain.shuffle(using: &generator)
            default: break
            }
            queue.addOperations(chain)
            chain = []
            await drain(queue)
            XCTAssertEqual(reached.load(ordering: .relaxed), 100_000, order)
            XCTAssertEqual(bad.load(ordering: .relaxed), 0, order)
        }
    }

    /// J12: thousands of jobs in a limited queue wait for one task, and each of them could lend.
    func testManyJobsOfALimitedQueueWaitForOneTask() async {
        let count = 4_000
        let queue = TaskQueue(maxConcurrentOperationCount: count)
        let (task, last) = (HeldOperation("the one"), HeldOperation("its dependency"))
        task.addDependency(last)
        queue.addOperation(task)
        let delivered = Tally()
        let tracked = expectation(description: "all jobs track the task")
        tracked.expectedFulfillmentCount = count
        for _ in 0..<count {
            let job = ScriptedJob(queue: queue) { job in
                job.track(task) { _ in delivered.add() }
                tracked.fulfill()
            }
            queue.addOperation(job)
        }
        await fulfillment(of: [tracked], timeout: 300)
        // The only permits left are those that the jobs lend.
        last.start()
        last.finish()
        await task.began.waitUntilOpen()
        task.finish()
        await drain(queue)
        XCTAssertEqual(delivered.count, count)
    }

    /// Q3: 200,000 dependencies of one operation.
    func testWideFanIn() async {
        let queue = TaskQueue()
        let ended = Atomic(0)
        let seen = Atomic(0)
        let last = ScriptedOperation { operation in
            seen.store(ended.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
            operation.finish()
        }
        let tasks = (0..<200_000)
            .map { _ in
                ScriptedOperation {
                    ended.add(1, ordering: .sequentiallyConsistent)
                    $0.finish()
                }
            }
        for task in tasks { last.addDependency(task) }
        queue.addOperation(last)
        queue.addOperations(tasks)
        await drain(queue)
        XCTAssertEqual(seen.load(ordering: .relaxed), 200_000)
    }
}
