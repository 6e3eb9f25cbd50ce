import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// X6
final class KeyedQueueScaleTests: XCTestCase {
    /// A debug build adds a tenth of the operations.
    func testMillionOperationsOfOneKeyKeepNothing() async {
        #if DEBUG
        let count = 100_000
        #else
        let count = 1_000_000
        #endif
        let queue = KeyedQueue<Int>()
        var last: ClosureOperation<Void>?
        for number in 0..<count {
            let operation = ClosureOperation {}
            queue.addOperation(operation, keys: [1])
            last = operation
            if number % 1_000 == 999, let last { await last.waitForFinish() }
        }
        withExtendedLifetime(last) {}
        await bounded { await queue.waitForAllOperations() }
        XCTAssertEqual(queue.operationCount, 0)
    }

    func testHundredThousandThatWaitForOneKey() async {
        let queue = KeyedQueue<Int>()
        let first = HeldOperation("first")
        queue.addOperation(first, keys: [1])
        let operations = (0..<100_000).map { _ in ClosureOperation {} }
        for operation in operations { queue.addOperation(operation, keys: [1]) }
        for operation in operations.prefix(50_000) { operation.cancel() }
        first.finish()
        await bounded { await queue.waitForAllOperations() }
        XCTAssertTrue(operations.allSatisfy(\.isFinished))
    }

    /// Starts each operation on the calling thread.
    private final class Inline: OperationScheduling {
        func addOperation(_ operation: Operation) { operation.start() }
    }

    func testOperationsThatStartAtOnceDoNotDeepenTheStack() {
        let queue = KeyedQueue<Int>(Inline())
        queue.isSuspended = true
        let operations = (0..<100_000).map { _ in ClosureOperation {} }
        for operation in operations { queue.addOperation(operation, keys: [1]) }
        queue.isSuspended = false
        XCTAssertTrue(operations.allSatisfy(\.isFinished))
    }

    func testJobsWithManyTasksInOneQueue() async {
        let queue = KeyedQueue<Int>(maxConcurrentOperationCount: 2)
        let jobs = (0..<2)
            .map { number in
                ScriptedJob("\(number)", queue: queue.keyed(number)) { job in
                    for _ in 0..<20_000 { job.trackAndQueue(ClosureOperation {}) }
                }
            }
        for (number, job) in jobs.enumerated() { queue.addOperation(job, keys: [number]) }
        for job in jobs { await bounded { await job.waitForFinish() } }
    }

    /// X1 to X5: finishing, cancellation, raised priorities and lending jobs in every order.
    func testEveryOrderOfThreeOperationsFollowsTheRules() {
        let search = KeyedQueueSearch.run(
            limits: [(1, 1), (2, 1), (.max, 1), (2, 2), (.max, 2)],
            canRaise: true
        )
        XCTAssertNil(search.failure)
        XCTAssertEqual(search.orderCount, 256_800)
    }
}
