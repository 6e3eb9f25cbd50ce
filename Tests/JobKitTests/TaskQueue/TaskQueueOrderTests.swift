import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

final class TaskQueueOrderTests: XCTestCase {
    /// Q1: uploads run one after another, although their work outlasts their closures.
    func testUploadsRunOneAfterAnother() async {
        let queue = TaskQueue(name: "uploads", maxConcurrentOperationCount: 1)
        let log = EventLog()
        for movie in ["a", "b", "c", "d"] {
            queue.addAsynchronousOperation { done in
                log.record("\(movie) Start")
                DispatchQueue.global()
                    .async {
                        log.record("\(movie) Done")
                        done(nil)
                    }
            }
        }
        await drain(queue)
        XCTAssertEqual(
            log.events,
            [
                "a Start", "a Done", "b Start", "b Done", "c Start", "c Done", "d Start", "d Done",
            ]
        )
    }

    /// Q1: first in, first out, whether the work ends inside `main()` or elsewhere.
    func testSerialQueueIsFirstInFirstOut() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let log = Guarded<[Int]>([])
        let count = length(of: 2_000)
        for number in 0..<count {
            queue.addOperation(
                ScriptedOperation { operation in
                    log.withLock { $0.append(number) }
                    guard number % 3 > 0 else { return operation.finish() }
                    DispatchQueue.global().async { operation.finish() }
                }
            )
        }
        await drain(queue)
        XCTAssertEqual(log.withLock { $0 }, Array(0..<count))
    }

    /// Q1: the limit is never exceeded, and is reached if there is enough work.
    func testLimitIsUsedAndNeverExceeded() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 3)
        let executing = Atomic(0)
        let most = Guarded(0)
        let release = Gate()
        let full = expectation(description: "three operations execute together")
        full.expectedFulfillmentCount = 3
        full.assertForOverFulfill = false
        for _ in 0..<300 {
            queue.addAsynchronousOperation { done in
                let count = executing.add(1, ordering: .sequentiallyConsistent).newValue
                most.withLock { $0 = max($0, count) }
                full.fulfill()
                let end: @Sendable () -> Void = {
                    executing.subtract(1, ordering: .sequentiallyConsistent)
                    done(nil)
                }
                Task {
                    await release.waitUntilOpen()
                    end()
                }
            }
        }
        await fulfillment(of: [full], timeout: 300)
        release.open()
        await drain(queue)
        XCTAssertEqual(most.withLock { $0 }, 3)
    }

    /// Q1: unlimited by default, because an asynchronous operation needs no thread.
    func testThousandsOfAsynchronousOperationsExecuteTogether() async {
        let queue = TaskQueue()
        XCTAssertEqual(queue.maxConcurrentOperationCount, Int.max)
        let (all, release) = (expectation(description: "all execute"), Gate())
        all.expectedFulfillmentCount = 5_000
        for _ in 0..<5_000 {
            queue.addAsynchronousOperation { done in
                all.fulfill()
                Task {
                    await release.waitUntilOpen()
                    done(nil)
                }
            }
        }
        await fulfillment(of: [all], timeout: 300)
        XCTAssertEqual(queue.operationCount, 5_000)
        release.open()
        await drain(queue)
    }

    /// Q2: by priority, then in the order of addition.
    ///
    /// The priority at the start counts.
    func testPrioritiesCountAlsoWhenChangedWhileWaiting() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        let log = EventLog()
        let priorities: [Operation.QueuePriority] = [.low, .normal, .veryHigh, .normal, .veryLow]
        let operations = priorities.enumerated()
            .map { number, priority in
                let operation = ScriptedOperation {
                    log.record("\(number)")
                    $0.finish()
                }
                operation.queuePriority = priority
                return operation
            }
        queue.addOperations(operations)
        operations[4].queuePriority = .high
        operations[1].queuePriority = .low
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(log.events, ["2", "4", "3", "0", "1"])
    }

    /// All operations that are added together are known before the first of them starts.
    func testOperationsAddedTogetherStartByPriority() async {
        let priorities: [Operation.QueuePriority] = [.veryLow, .normal, .veryHigh]
        for round in 0..<200 {
            let (queue, log) = (TaskQueue(maxConcurrentOperationCount: 1), EventLog())
            let operations = priorities.map { priority -> Operation in
                let name = "\(priority.rawValue)"
                let operation: Operation =
                    round % 2 == 0
                    ? BlockOperation { log.record(name) }
                    : ScriptedOperation {
                        log.record(name)
                        $0.finish()
                    }
                operation.queuePriority = priority
                return operation
            }
            await queue.addOperationsAndWait(operations)
            XCTAssertEqual(log.events, ["8", "0", "-8"])
        }
    }

    /// Q2: the priority of a plain operation counts too.
    func testPriorityOfAPlainOperationCounts() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        let log = EventLog()
        for (name, priority) in [("normal", Operation.QueuePriority.normal), ("high", .high)] {
            let operation = BlockOperation { log.record(name) }
            operation.queuePriority = priority
            queue.addOperation(operation)
        }
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(log.events, ["high", "normal"])
    }

    /// Q2: an urgent dependent comes before an unrelated operation that has waited longer.
    func testDependentIsReadyBeforeThePermitIsReused() async {
        for isPlain in [false, true] {
            for _ in 0..<rounds(of: 200) {
                let queue = TaskQueue(maxConcurrentOperationCount: 1)
                let log = EventLog()
                queue.isSuspended = true
                let first: Operation =
                    isPlain ? BlockOperation {} : ScriptedOperation { $0.finish() }
                let dependent = ScriptedOperation {
                    log.record("dependent")
                    $0.finish()
                }
                dependent.queuePriority = .high
                dependent.addDependency(first)
                queue.addOperations([first, dependent])
                queue.addOperation { log.record("stranger") }
                queue.isSuspended = false
                await drain(queue)
                XCTAssertEqual(log.events, ["dependent", "stranger"])
            }
        }
    }

    /// Barriers run alone, after all operations before them and before all operations after them.
    func testBarrierRunsAloneInItsOrder() async {
        let queue = TaskQueue()
        let before = Atomic(0)
        let after = Atomic(0)
        let bad = Atomic(0)
        for _ in 0..<20 {
            for _ in 0..<50 {
                queue.addAsynchronousOperation { done in
                    DispatchQueue.global()
                        .async {
                            before.add(1, ordering: .sequentiallyConsistent)
                            done(nil)
                        }
                }
            }
            queue.addBarrierBlock {
                let barriers = after.add(1, ordering: .sequentiallyConsistent).newValue
                let ended = before.load(ordering: .sequentiallyConsistent)
                if ended != barriers * 50 { bad.add(1, ordering: .relaxed) }
            }
        }
        await drain(queue)
        XCTAssertEqual(bad.load(ordering: .relaxed), 0)
        XCTAssertEqual(after.load(ordering: .relaxed), 20)
    }
}
