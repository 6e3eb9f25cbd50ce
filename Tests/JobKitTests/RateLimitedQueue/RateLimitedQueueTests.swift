import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// Q8
final class RateLimitedQueueTests: XCTestCase {
    /// Starts each operation at once, and records its name.
    private final class Starter: OperationScheduling {
        private let started = Guarded<[String?]>([])

        var names: [String?] { started.withLock { $0 } }

        func addOperation(_ operation: Operation) {
            started.withLock { $0.append(operation.name) }
            operation.start()
        }
    }

    private let clock = ManualClock()
    private let target = Starter()

    private func queue(limit: Int = 2, seconds: Int = 10) -> RateLimitedQueue {
        RateLimitedQueue(target, limit: limit, per: .seconds(seconds), clock: clock)
    }

    private func named(_ name: String) -> ConcurrentOperation {
        let operation = ConcurrentOperation()
        operation.name = name
        return operation
    }

    private var handedOn: [String?] { target.names }

    private func advance(to seconds: Int, _ start: ManualClock.Instant) async {
        let deadline = start.advanced(by: .seconds(seconds))
        await clock.waitForDeadline(deadline)
        clock.advance(by: clock.now.duration(to: deadline))
    }

    func testNoMoreThanTheLimitInAnInterval() async {
        let (queue, start) = (queue(), clock.now)
        for name in ["a", "b", "c", "d", "e"] { queue.addOperation(named(name)) }
        XCTAssertEqual(handedOn, ["a", "b"])
        await advance(to: 10, start)
        await eventually { handedOn.count == 4 }
        await advance(to: 20, start)
        await eventually { handedOn.count == 5 }
        XCTAssertEqual(handedOn, ["a", "b", "c", "d", "e"])
        XCTAssertNil(clock.nextDeadline)
    }

    func testPriorityRaisedWhileWaitingCounts() async {
        let (queue, start) = (queue(limit: 1), clock.now)
        queue.addOperation(named("first"))
        let (normal, raised, high) = (named("normal"), named("raised"), named("high"))
        high.queuePriority = .high
        for operation in [normal, raised, high] { queue.addOperation(operation) }
        raised.queuePriority = .veryHigh
        for turn in 1...3 {
            await advance(to: 10 * turn, start)
            await eventually { handedOn.count == turn + 1 }
        }
        XCTAssertEqual(handedOn, ["first", "raised", "high", "normal"])
    }

    func testOperationWaitsForItsDependenciesAndTakesNoTurnMeanwhile() {
        let queue = queue()
        let (dependency, dependent, other) = (
            named("dependency"), named("dependent"), named("other")
        )
        dependent.addDependency(dependency)
        queue.addOperation(dependent)
        queue.addOperation(other)
        XCTAssertEqual(handedOn, ["other"])
        dependency.start()
        XCTAssertEqual(handedOn, ["other", "dependent"])
    }

    func testDependencyAddedWhileItWaitsForItsTurnCounts() async {
        let (queue, start) = (queue(limit: 1), clock.now)
        let (late, dependency) = (named("late"), named("dependency"))
        for operation in [named("first"), late, named("other")] { queue.addOperation(operation) }
        late.addDependency(dependency)
        await advance(to: 10, start)
        await eventually { handedOn.count == 2 }
        XCTAssertEqual(handedOn, ["first", "other"])
        dependency.start()
        await advance(to: 20, start)
        await eventually { handedOn == ["first", "other", "late"] }
    }

    func testCancelledOperationEndsAtOnceAndTakesNoTurn() async {
        let (queue, start) = (queue(limit: 1), clock.now)
        let (waiting, blocked, next) = (named("waiting"), named("blocked"), named("next"))
        blocked.addDependency(named("never started"))
        for operation in [named("first"), waiting, blocked, next] { queue.addOperation(operation) }
        waiting.cancel()
        blocked.cancel()
        XCTAssertTrue(waiting.isFinished)
        XCTAssertTrue(blocked.isFinished)
        await advance(to: 10, start)
        await eventually { handedOn == ["first", "next"] }
        let early = named("cancelled early")
        early.cancel()
        queue.addOperation(early)
        XCTAssertTrue(early.isFinished)
        XCTAssertNil(clock.nextDeadline)
    }

    func testNothingSleepsWhereNothingWaits() async {
        let queue = queue(limit: 1)
        let waiting = named("waiting")
        queue.addOperation(named("first"))
        queue.addOperation(waiting)
        await clock.waitForSleepers()
        waiting.cancel()
        await eventually { clock.nextDeadline == nil }
    }

    func testPlainOperationsObeyTheRate() async {
        let (queue, start) = (queue(limit: 1), clock.now)
        let (first, dependent) = (BlockOperation {}, BlockOperation {})
        (first.name, dependent.name) = ("first", "dependent")
        dependent.addDependency(first)
        queue.addOperation(dependent)
        queue.addOperation(first)
        XCTAssertEqual(handedOn, ["first"])
        await advance(to: 10, start)
        await eventually { handedOn == ["first", "dependent"] }
    }

    func testCancelledPlainOperationEnds() async {
        let queue = queue(limit: 1)
        let (waiting, blocked) = (BlockOperation {}, BlockOperation {})
        blocked.addDependency(BlockOperation {})
        for operation in [BlockOperation {}, waiting, blocked] { queue.addOperation(operation) }
        waiting.cancel()
        blocked.cancel()
        await bounded { await waiting.waitForFinish() }
        await bounded { await blocked.waitForFinish() }
        XCTAssertEqual(handedOn.count, 1)
    }

    /// J6: a job is notified of a plain task behind a rate limiter, and releases it.
    func testPlainTaskInAnOperationQueueBehindTheRateIsDeliveredAndReleased() async {
        let queue = RateLimitedQueue(OperationQueue(), limit: 10, per: .seconds(1))
        weak var freed: Operation?
        let delivered = Gate()
        do {
            let task = BlockOperation {}
            freed = task
            let job = ScriptedJob { job in
                job.trackAndQueue(task, on: queue) { _ in delivered.open() }
            }
            job.start()
            await delivered.waitUntilOpen()
            await job.waitForFinish()
        }
        await eventually { freed == nil }
    }

    func testOperationThatOtherCodeStartedTakesNoTurn() async {
        let (queue, start) = (queue(limit: 1), clock.now)
        let (taken, plain) = (named("taken"), BlockOperation {})
        for operation in [named("first"), taken, plain, named("next")] {
            queue.addOperation(operation)
        }
        taken.start()
        plain.start()
        await advance(to: 10, start)
        await eventually { handedOn == ["first", "next"] }
    }

    func testJobsTasksObeyTheRateAndItsCancelReachesThem() async {
        let queue = queue(limit: 1)
        let tasks = (1...5).map { named("\($0)") } + [BlockOperation {}]
        let job = ScriptedJob { job in
            for task in tasks { job.trackAndQueue(task, on: queue) }
        }
        job.start()
        XCTAssertEqual(handedOn, ["1"])
        XCTAssertFalse(job.isFinished)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(tasks.allSatisfy(\.isFinished))
    }

    func testAttemptsOfARetryObeyTheRate() async throws {
        let (queue, start) = (queue(limit: 1), clock.now)
        let retry = RetryOperation(
            RetryPolicy { failed, _ in failed < 3 ? .zero : nil },
            on: queue
        ) { number in
            ClosureOperation(name: "\(number)") { if number < 3 { throw SampleError() } }
        }
        retry.start()
        for attempt in 1...3 {
            if attempt > 1 { await advance(to: 10 * (attempt - 1), start) }
            await eventually { handedOn == (1...attempt).map { "\($0)" } }
        }
        try await retry.value
    }

    func testJobAndItsTasksShareAPlaceBehindTheRate() async throws {
        let narrow = TaskQueue(maxConcurrentOperationCount: 1)
        let queue = RateLimitedQueue(narrow, limit: 100, per: .seconds(1))
        let job = ScriptedJob(queue: queue) { job in
            for number in 1...5 { job.trackAndQueue(InstantOperation("\(number)")) }
        }
        try await job.run(on: queue)
        XCTAssertEqual(job.events.count, 7)
    }

    func testOperationsOfAReleasedQueueAreForwarded() async {
        let start = clock.now
        do {
            let queue = queue(limit: 1)
            for name in ["a", "b"] { queue.addOperation(named(name)) }
        }
        await advance(to: 10, start)
        await eventually { handedOn == ["a", "b"] }
    }

    func testQueueIsReleasedWhenNothingWaits() async {
        weak var released: RateLimitedQueue?
        let start = clock.now
        do {
            let queue = queue(limit: 1)
            released = queue
            for name in ["a", "b"] { queue.addOperation(named(name)) }
            queue.addOperation(BlockOperation {})
        }
        XCTAssertNotNil(released)
        await advance(to: 10, start)
        await advance(to: 20, start)
        await eventually { released == nil }
    }

    func testNestedRateLimitedQueues() async {
        let (start, outer) = (
            clock.now, RateLimitedQueue(queue(), limit: 1, per: .seconds(3), clock: clock)
        )
        for name in ["a", "b", "c"] { outer.addOperation(named(name)) }
        XCTAssertEqual(handedOn, ["a"])
        await advance(to: 3, start)
        await eventually { handedOn == ["a", "b"] }
        await advance(to: 6, start)
        await advance(to: 10, start)
        await eventually { handedOn == ["a", "b", "c"] }
    }

    func testOperationQueueReceivesOnlyReadyOperations() async {
        let foundation = OperationQueue()
        let queue = RateLimitedQueue(foundation, limit: 10, per: .seconds(1))
        let (first, second) = (named("first"), named("second"))
        second.addDependency(first)
        queue.addOperation(second)
        queue.addOperation(first)
        await bounded { await second.waitForFinish() }
    }

    func testStallReportNamesTheRateThatATaskWaitsFor() async {
        let queue = queue(limit: 1)
        let plain = BlockOperation {}
        plain.name = "plain"
        let job = ScriptedJob { job in
            for task in [self.named("first"), self.named("second"), plain] {
                job.trackAndQueue(task, on: queue)
            }
        }
        job.start()
        let lines = job.explainStall().split(separator: "\n")
        XCTAssertEqual(
            lines.dropFirst().map(String.init),
            ["second", "plain"].map { "\($0): waits for the rate: 1 in 10.0 seconds" }
        )
        job.cancel()
        await bounded { await job.waitForFinish() }
    }

    func testOperationsBeyondTheLimitWaitInAnyNumber() async {
        let count = length(of: 50_000)
        let queue = queue(limit: count)
        let operations = (0..<2 * count).map { _ in ConcurrentOperation() }
        for operation in operations { queue.addOperation(operation) }
        XCTAssertEqual(handedOn.count, count)
        for operation in operations.dropFirst(count) { operation.cancel() }
        XCTAssertTrue(operations.dropFirst(count).allSatisfy(\.isFinished))
    }

    // MARK: Priorities that change while they are read

    /// Changes its priority during a read, as another thread may.
    private final class Overtaken: ConcurrentOperation, @unchecked Sendable {
        private let isArmed = Guarded(false)

        func setHighAndThenVeryLow() {
            isArmed.withLock { $0 = true }
            queuePriority = .veryHigh
        }

        private func setVeryLow() { queuePriority = .veryLow }

        override var queuePriority: QueuePriority {
            get {
                let priority = super.queuePriority
                if isArmed.withLock({ exchange(&$0, with: false) }) { setVeryLow() }
                return priority
            }
            set { super.queuePriority = newValue }
        }
    }

    func testPriorityThatThePropertyShowsCountsIfTwoThreadsSetIt() async {
        let (queue, start) = (queue(limit: 1), clock.now)
        let overtaken = Overtaken()
        overtaken.name = "overtaken"
        for operation in [named("first"), overtaken, named("other")] {
            queue.addOperation(operation)
        }
        overtaken.setHighAndThenVeryLow()
        XCTAssertEqual(overtaken.queuePriority, .veryLow)
        for turn in 1...2 {
            await advance(to: 10 * turn, start)
            await eventually { handedOn.count == turn + 1 }
        }
        XCTAssertEqual(handedOn, ["first", "other", "overtaken"])
    }

    // Many threads add and cancel, but there are never too many starts in an interval.
    func testRateHoldsOnManyThreads() async {
        let (started, limit, start) = (Tally(), 20, clock.now)
        let queue = RateLimitedQueue(TaskQueue(), limit: limit, per: .seconds(10), clock: clock)
        let all = await withTaskGroup(of: [ConcurrentOperation].self) { group in
            for thread in 0..<4 {
                group.addTask {
                    (0..<50)
                        .map { number in
                            let operation = ClosureOperation { started.add() }
                            queue.addOperation(operation)
                            if number % 5 == thread { operation.cancel() }
                            return operation
                        }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        for interval in 1... {
            let isLast = { all.allSatisfy(\.isFinished) }
            await eventually { started.count == interval * limit || isLast() }
            XCTAssertLessThanOrEqual(started.count, interval * limit)
            guard !isLast() else { break }
            await advance(to: 10 * interval, start)
        }
        XCTAssertGreaterThanOrEqual(started.count, 160)
    }
}
