import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

final class TaskQueueLifeTests: XCTestCase {
    /// Q4: a suspended queue starts nothing, and continues when it is resumed.
    func testSuspendedQueueStartsNothing() async {
        let queue = TaskQueue()
        queue.isSuspended = true
        let log = EventLog()
        queue.addOperation { log.record("late") }
        let other = TaskQueue()
        other.addOperation { log.record("early") }
        await drain(other)
        XCTAssertTrue(queue.isSuspended)
        XCTAssertEqual(queue.operationCount, 1)
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(log.events, ["early", "late"])
    }

    /// Q4: raising the limit starts waiting operations at once.
    func testRaisedLimitStartsMore() async {
        let (queue, release) = (TaskQueue(maxConcurrentOperationCount: 1), Gate())
        let began = expectation(description: "five execute")
        began.expectedFulfillmentCount = 5
        for _ in 0..<5 {
            queue.addAsynchronousOperation { done in
                began.fulfill()
                Task {
                    await release.waitUntilOpen()
                    done(nil)
                }
            }
        }
        queue.maxConcurrentOperationCount = 5
        XCTAssertEqual(queue.maxConcurrentOperationCount, 5)
        await fulfillment(of: [began], timeout: 300)
        release.open()
        await drain(queue)
    }

    /// Q4: the queue exists until its operations have ended, even if it is not referenced.
    func testReleasedQueueEndsItsOperations() async {
        let (began, release) = (Gate(), Gate())
        let ended = expectation(description: "all have ended")
        ended.expectedFulfillmentCount = 101
        do {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            queue.addOperation {
                began.open()
                release.wait()
                ended.fulfill()
            }
            for _ in 0..<50 {
                queue.addOperation { ended.fulfill() }
                queue.addOperation(BlockOperation { ended.fulfill() })
            }
        }
        await began.waitUntilOpen()
        release.open()
        await fulfillment(of: [ended], timeout: 300)
    }

    /// The operations that have not finished, in the order in which they were added.
    func testOperationsAreThoseNotFinished() async {
        let (queue, began, release) = (TaskQueue(maxConcurrentOperationCount: 1), Gate(), Gate())
        let first = ScriptedOperation { operation in
            began.open()
            Task {
                await release.waitUntilOpen()
                operation.finish()
            }
        }
        let others: [Operation] = [BlockOperation {}, ConcurrentOperation()]
        others[1].queuePriority = .veryHigh
        queue.addOperation(first)
        await began.waitUntilOpen()
        queue.addOperations(others)
        XCTAssertEqual(queue.operations, [first] + others)
        XCTAssertEqual(queue.operationCount, 3)
        release.open()
        await drain(queue)
        XCTAssertEqual(queue.operations, [])
        XCTAssertEqual(queue.operationCount, 0)
    }

    /// Adds operations and waits, on a plain thread.
    func testAddOperationsMayWait() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 2)
        let counts = Guarded<[Int]>([])
        await runOnThreads(4) { _ in
            let operations: [Operation] =
                (0..<100).map { $0 % 2 == 0 ? ConcurrentOperation() : BlockOperation {} }
            queue.addOperations(operations, waitUntilFinished: true)
            counts.withLock { $0.append(operations.count { $0.isFinished }) }
        }
        XCTAssertEqual(counts.withLock { $0 }, [100, 100, 100, 100])
        await runOnThreads(2) { _ in queue.waitUntilAllOperationsAreFinished() }
    }

    /// Adds operations and waits, in a Swift task, until all have finished.
    ///
    /// The operations are of every kind and wait for different events.
    func testSwiftTaskAwaitsOperationsThatItAdds() async {
        let (queue, elsewhere) = (TaskQueue(maxConcurrentOperationCount: 1), TaskQueue())
        for _ in 0..<50 {
            let foreign = BlockOperation {}
            let operations: [Operation] =
                (0..<10).map { $0 % 2 == 0 ? ConcurrentOperation() : BlockOperation {} }
            operations[0].addDependency(foreign)
            operations[3].addDependency(operations[7])
            operations[5].cancel()
            elsewhere.addOperation(foreign)
            await queue.addOperationsAndWait(operations)
            XCTAssertTrue(operations.allSatisfy(\.isFinished))
        }
        await queue.addOperationsAndWait([])
        let held = ConcurrentOperation()
        queue.isSuspended = true
        queue.addOperations([held])
        XCTAssertFalse(held.isFinished)
        queue.isSuspended = false
        await queue.waitForAllOperations()
        XCTAssertTrue(held.isFinished)
    }

    /// Many tasks and threads wait for one queue, and an empty queue makes none of them wait.
    func testTasksAwaitAnEmptyQueue() async {
        let (queue, release, log) = (TaskQueue(), Gate(), EventLog())
        await queue.waitForAllOperations()
        for _ in 0..<10 {
            queue.addOperation {
                release.wait()
                log.record("ended")
            }
        }
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await queue.waitForAllOperations()
                    return log.events.count
                }
            }
            release.open()
            for await count in group { XCTAssertEqual(count, 10) }
        }
    }

    /// Foundation's constant for "no limit" has the same meaning here.
    func testDefaultMaxConcurrentOperationCountIsNoLimit() {
        let foundations = OperationQueue.defaultMaxConcurrentOperationCount
        let queue = TaskQueue(maxConcurrentOperationCount: foundations)
        XCTAssertEqual(
            queue.maxConcurrentOperationCount,
            TaskQueue.defaultMaxConcurrentOperationCount
        )
        queue.maxConcurrentOperationCount = 3
        queue.maxConcurrentOperationCount = foundations
        XCTAssertEqual(
            queue.maxConcurrentOperationCount,
            TaskQueue.defaultMaxConcurrentOperationCount
        )
    }

    /// Q7: executing and waiting operations are cancelled, and no waiting one enters `main()`.
    func testCancelAllReachesWaitingBeforeExecutingOperations() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let began = Gate()
        let entered = Atomic(0)
        let waiting = ScriptedOperation {
            entered.add(1, ordering: .relaxed)
            $0.finish()
        }
        let running = StoppableOperation(began: began) { operation in
            // The permit is free once this returns, so its next user must already be cancelled.
            XCTAssertTrue(waiting.isCancelled)
            operation.finish()
        }
        queue.addOperations([running, waiting])
        await began.waitUntilOpen()
        await runOnThreads(1) { _ in queue.cancelAllOperations() }
        await drain(queue)
        XCTAssertEqual(entered.load(ordering: .relaxed), 0)
        XCTAssertTrue(running.isCancelled)
        XCTAssertTrue(waiting.isCancelled)
    }

    /// Q7: the first call of `done` counts, and its error is the operation's.
    func testFirstDoneCounts() async throws {
        struct Broken: Error, Equatable { let number: Int }
        let queue = TaskQueue()
        queue.isSuspended = true
        queue.addAsynchronousOperation { done in
            done(Broken(number: 1))
            done(nil)
            done(Broken(number: 2))
        }
        queue.addAsynchronousOperation { done in
            done(nil)
            done(Broken(number: 3))
        }
        let operations = queue.operations.compactMap { $0 as? ConcurrentOperation }
        XCTAssertEqual(operations.count, 2)
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(operations[0].error as? Broken, Broken(number: 1))
        XCTAssertNil(operations[1].error)
    }

    /// Q7: of many calls of `done` from many threads, one counts.
    func testDoneFromManyThreads() async {
        struct Broken: Error { let number: Int }
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let done = Guarded<(@Sendable ((any Error)?) -> Void)?>(nil)
        let began = Gate()
        queue.addAsynchronousOperation { given in
            done.withLock { $0 = given }
            began.open()
        }
        let operation = queue.operations.first as? ConcurrentOperation
        await began.waitUntilOpen()
        await runOnThreads(8) { number in done.withLock { $0 }?(Broken(number: number)) }
        await drain(queue)
        XCTAssertTrue((0..<8).contains((operation?.error as? Broken)?.number ?? -1))
    }
}

// Operation forces @unchecked. The closure and the gate are constants.
/// Works until it is cancelled.
final class StoppableOperation: ConcurrentOperation, @unchecked Sendable {
    private let began: Gate
    private let stop: @Sendable (StoppableOperation) -> Void

    init(began: Gate, stop: @escaping @Sendable (StoppableOperation) -> Void) {
        self.began = began
        self.stop = stop
    }

    override func main() { began.open() }
    override func didCancel() { stop(self) }
}
