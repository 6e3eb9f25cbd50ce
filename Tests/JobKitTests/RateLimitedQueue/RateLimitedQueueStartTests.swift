import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

// Q8: starts that the queue below delays.
final class RateLimitedQueueStartTests: XCTestCase {
    private let clock = ManualClock()

    private func named(_ name: String) -> ConcurrentOperation {
        let operation = ConcurrentOperation()
        operation.name = name
        return operation
    }

    private func advance(to seconds: Int, _ start: ManualClock.Instant) async {
        let deadline = start.advanced(by: .seconds(seconds))
        await clock.waitForDeadline(deadline)
        clock.advance(by: clock.now.duration(to: deadline))
    }

    func testRateCountsStartsThatTheQueueBelowHeldBack() async {
        let (steps, start) = (StepQueue(), clock.now)
        let queue = RateLimitedQueue(steps, limit: 2, per: .seconds(10), clock: clock)
        for name in ["a", "b", "c", "d", "e"] { queue.addOperation(named(name)) }
        clock.advance(by: .seconds(100))
        XCTAssertEqual(steps.held.map(\.name), ["a", "b"])
        steps.runAll(seed: 0)
        XCTAssertEqual(steps.held.map(\.name), [])
        await advance(to: 110, start)
        await eventually { steps.held.map(\.name) == ["c", "d"] }
        steps.runNext()
        clock.advance(by: .seconds(4))
        steps.runNext()
        await advance(to: 120, start)
        await eventually { steps.held.map(\.name) == ["e"] }
    }

    /// A thread that is slow to use its reading of the clock does not move the starts of others.
    func testOldReadingOfTheClockDoesNotShortenTheInterval() async {
        let (started, start) = (StartedByTest(), clock.now)
        let held = HeldClock(clock)
        let queue = RateLimitedQueue(started, limit: 2, per: .seconds(10), clock: held)
        for name in ["a", "b", "c"] { queue.addOperation(named(name)) }
        let operations = started.operations
        XCTAssertEqual(operations.map(\.name), ["a", "b"])
        held.holdNext()
        let hasEnded = Gate()
        Thread.detachNewThread {
            operations[0].start()
            hasEnded.open()
        }
        await wait(for: held.wasRead)
        clock.advance(by: .seconds(5))
        operations[1].start()
        held.mayReturn.open()
        await wait(for: hasEnded)
        await eventually { [clock] in
            clock.nextDeadline == start.advanced(by: .seconds(15))
        }
        await advance(to: 15, start)
        await eventually { started.operations.count == 3 }
    }

    func testOperationCancelledBeforeItsStartNoLongerCounts() {
        let steps = StepQueue()
        let queue = RateLimitedQueue(steps, limit: 1, per: .seconds(10), clock: clock)
        let first = named("first")
        for operation in [first, named("second"), named("third")] { queue.addOperation(operation) }
        XCTAssertEqual(steps.held.map(\.name), ["first"])
        first.cancel()
        XCTAssertEqual(steps.held.map(\.name), ["first", "second"])
        XCTAssertNil(clock.nextDeadline)
    }

    func testPlainOperationInAnOperationQueueCountsWhenItIsPassedOn() async {
        let (foundation, start) = (OperationQueue(), clock.now)
        foundation.isSuspended = true
        let queue = RateLimitedQueue(foundation, limit: 1, per: .seconds(10), clock: clock)
        for _ in 1...2 { queue.addOperation(BlockOperation {}) }
        XCTAssertEqual(foundation.operationCount, 1)
        await advance(to: 10, start)
        await eventually { foundation.operationCount == 2 }
        foundation.isSuspended = false
    }

    func testPlainOperationThatJobKitStartsCountsFromItsStart() async {
        let (steps, start) = (StepQueue(), clock.now)
        let queue = RateLimitedQueue(steps, limit: 1, per: .seconds(10), clock: clock)
        for _ in 1...2 { queue.addOperation(BlockOperation {}) }
        clock.advance(by: .seconds(50))
        XCTAssertEqual(steps.held.count, 1)
        steps.runNext()
        await advance(to: 60, start)
        await eventually { steps.held.count == 1 }
    }
}

/// Starts nothing, because the test does.
private final class StartedByTest: OperationScheduling {
    private let added = Mutex<[Operation]>([])

    var operations: [Operation] { added.withLock { $0 } }

    func addOperation(_ operation: Operation) { added.withLock { $0.append(operation) } }
}
