import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// X1 to X8
final class KeyedQueueTests: XCTestCase {
    private let steps = StepQueue()

    private func named(_ name: String) -> ConcurrentOperation {
        let operation = ConcurrentOperation()
        operation.name = name
        return operation
    }

    private var passedOn: [String] { steps.held.compactMap(\.name) }

    /// Adds held operations, each with the keys in its name: `ab 1` has the keys a and b.
    private func add(_ names: [String], to queue: KeyedQueue<String>) -> [HeldOperation] {
        names.map { name in
            let operation = HeldOperation(name)
            let keys = name.split(separator: " ").first.map { $0.map(String.init) } ?? []
            queue.addOperation(operation, keys: Set(keys))
            return operation
        }
    }

    // MARK: X1 to X3

    func testOneOfAKeyRunsAtATime() async {
        let queue = KeyedQueue<String>()
        let operations = add(["a 1", "a 2", "b 1"], to: queue)
        await operations[0].began.waitUntilOpen()
        await operations[2].began.waitUntilOpen()
        XCTAssertFalse(operations[1].isExecuting)
        operations[0].finish()
        await operations[1].began.waitUntilOpen()
        for operation in operations { operation.finish() }
        await bounded { await queue.waitForAllOperations() }
        XCTAssertEqual(queue.operationCount, 0)
    }

    func testKeyedQueueInFrontOfAnOperationQueue() async {
        let (below, gauge) = (OperationQueue(), Gauge(limit: 1))
        let queue = KeyedQueue<Int>(below)
        let operations = (0..<200)
            .map { number -> Operation in
                number.isMultiple(of: 2)
                    ? ClosureOperation {
                        gauge.enter()
                        gauge.leave()
                    }
                    : BlockOperation {
                        gauge.enter()
                        gauge.leave()
                    }
            }
        for operation in operations { queue.addOperation(operation, keys: [1]) }
        await bounded { await queue.waitForAllOperations() }
        XCTAssertTrue(operations.allSatisfy(\.isFinished))
        XCTAssertFalse(gauge.wasExceeded)
    }

    func testCancelledWaitingOperationFinishesAndItsSuccessorWaitsForTheHolder() {
        let queue = KeyedQueue<String>(steps)
        let (first, second) = (named("1"), named("2"))
        for operation in [first, second, named("3")] { queue.addOperation(operation, keys: ["a"]) }
        XCTAssertEqual(passedOn, ["1"])
        second.cancel()
        XCTAssertTrue(second.isFinished)
        XCTAssertEqual(passedOn, ["1"])
        XCTAssertEqual(queue.operations(for: "a").compactMap(\.name), ["1", "3"])
        steps.runNext()
        XCTAssertEqual(passedOn, ["3"])
    }

    func testUrgentOneGoesFirstWithinAKey() {
        let queue = KeyedQueue<String>(steps)
        let operations = ["1", "2", "3", "4"].map(named)
        operations[3].queuePriority = .high
        for operation in operations { queue.addOperation(operation, keys: ["a"]) }
        operations[2].queuePriority = .veryHigh
        var order: [String?] = []
        while let next = steps.runNext() { order.append(next.name) }
        XCTAssertEqual(order, ["1", "3", "4", "2"])
    }

    func testDependenciesComeBeforeKeys() {
        let queue = KeyedQueue<String>(steps)
        let (dependency, dependent) = (named("dependency"), named("dependent"))
        dependent.addDependency(dependency)
        queue.addOperation(dependent, keys: ["a"])
        queue.addOperation(named("other"), keys: ["a"])
        XCTAssertEqual(passedOn, ["other"])
        dependency.start()
        XCTAssertEqual(passedOn, ["other"])
        steps.runNext()
        XCTAssertEqual(passedOn, ["dependent"])
    }

    func testAbandonedHolderFreesItsKey() async {
        let (clock, queue) = (ManualClock(), KeyedQueue<String>())
        let stuck = HeldOperation("stuck", stopsWhenCancelled: false)
        (stuck.clock, stuck.maximumStopTime) = (clock, .seconds(1))
        let next = HeldOperation("next")
        queue.addOperation(stuck, keys: ["a"])
        queue.addOperation(next, keys: ["a"])
        await stuck.began.waitUntilOpen()
        stuck.cancel()
        XCTAssertFalse(next.isExecuting)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await next.began.waitUntilOpen()
        next.finish()
    }

    func testCancelOperationsForAKeyCancelsThoseAlone() async {
        let queue = KeyedQueue<String>()
        let operations = add(["a 1", "a 2", "b 1", "ab 1"], to: queue)
        await operations[0].began.waitUntilOpen()
        await operations[2].began.waitUntilOpen()
        queue.cancelOperations(for: "a")
        await bounded { await operations[0].waitForFinish() }
        XCTAssertEqual(operations.map(\.isCancelled), [true, true, false, true])
        XCTAssertEqual(operations.map(\.mains.count), [1, 0, 1, 0])
        queue.cancelAllOperations()
        await bounded { await queue.waitForAllOperations() }
        XCTAssertTrue(operations.allSatisfy(\.isFinished))
    }

    /// Q7: a completion caused by the cancellation starts no other operation.
    func testWhatWaitsWhenCancellationBeginsNeverRuns() async {
        for _ in 0..<50 {
            let (queue, ran) = (KeyedQueue<Int>(), Tally())
            let holders = (0..<4)
                .map { number -> HeldOperation in
                    let holder = HeldOperation("\(number)")
                    queue.addOperation(holder, keys: [number])
                    return holder
                }
            for holder in holders { await holder.began.waitUntilOpen() }
            for number in 0..<40 {
                queue.addOperation(ClosureOperation { ran.add() }, keys: [number % 4])
            }
            queue.cancelAllOperations()
            await bounded { await queue.waitForAllOperations() }
            XCTAssertEqual(ran.count, 0)
        }
    }

    func testSuspendedQueuePassesNothingOn() {
        let queue = KeyedQueue<String>(steps, name: "uploads", maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        let (first, second) = (named("1"), named("2"))
        queue.addOperation(first)
        queue.addOperation(second, keys: ["a"])
        XCTAssertEqual(queue.reasonNotStarted(first), "suspended: uploads")
        XCTAssertEqual(passedOn, [])
        queue.isSuspended = false
        XCTAssertEqual(passedOn, ["1"])
        XCTAssertEqual(
            queue.reasonNotStarted(second),
            "full: uploads, which has passed on 1"
        )
        queue.maxConcurrentOperationCount = 2
        XCTAssertEqual(passedOn, ["1", "2"])
        XCTAssertEqual(queue.operationCount, 2)
    }

    func testEachOperationMayHaveAQueueOfItsOwn() {
        let (queue, other) = (KeyedQueue<String>(steps), StepQueue())
        queue.addOperation(named("1"), keys: ["a"], on: other)
        queue.addOperation(named("2"), keys: ["a"])
        XCTAssertEqual(other.held.compactMap(\.name), ["1"])
        XCTAssertEqual(passedOn, [])
        other.runNext()
        XCTAssertEqual(passedOn, ["2"])
    }

    // MARK: X5

    func testReplaceTakesThePositionOfTheFirst() {
        let queue = KeyedQueue<String>(steps)
        let operations = ["1", "2", "3", "4"].map(named)
        for operation in operations { queue.addOperation(operation, keys: ["a"]) }
        let last = named("last")
        let stays = queue.addOperation(last, keys: ["a"], duplicates: .replace)
        XCTAssertTrue(stays === last)
        XCTAssertEqual(operations.map(\.isCancelled), [false, true, true, true])
        XCTAssertTrue(operations.dropFirst().allSatisfy(\.isFinished))
        XCTAssertEqual(queue.operations(for: "a").compactMap(\.name), ["1", "last"])
    }

    /// A cancelled plain operation ends later, on another thread.
    func testManyReplacedPlainOperationsLoseNoOther() async {
        let queue = KeyedQueue<String>(steps)
        queue.addOperation(named("holder"), keys: ["a"])
        let operations = (0..<100).map { _ in BlockOperation {} }
        for operation in operations {
            queue.addOperation(operation, keys: ["a"], duplicates: .replace)
        }
        await eventually { operations.dropLast().allSatisfy(\.isFinished) }
        XCTAssertTrue(queue.operations(for: "a").last === operations.last)
        steps.runNext()
        XCTAssertTrue(steps.held.first === operations.last)
    }

    func testKeepReturnsTheLastThatWaits() {
        let queue = KeyedQueue<String>(steps)
        let operations = ["1", "2", "3"].map(named)
        for operation in operations { queue.addOperation(operation, keys: ["a"]) }
        let extra = named("extra")
        let stays = queue.addOperation(extra, keys: ["a"], duplicates: .keep)
        XCTAssertTrue(stays === operations[2])
        XCTAssertTrue(extra.isCancelled && extra.isFinished)
        let other = named("other")
        XCTAssertTrue(queue.addOperation(other, keys: ["a", "b"], duplicates: .keep) === other)
        XCTAssertTrue(
            queue.addOperation(named("no key"), keys: [], duplicates: .keep).name == "no key"
        )
    }

    func testJoinReturnsTheOneThatRunsUnlessItWasAskedToStop() {
        let queue = KeyedQueue<String>(steps)
        let first = named("1")
        queue.addOperation(first, keys: ["a"])
        XCTAssertTrue(queue.addOperation(named("2"), keys: ["a"], duplicates: .join) === first)
        first.cancel()
        let third = named("3")
        XCTAssertTrue(queue.addOperation(third, keys: ["a"], duplicates: .join) === third)
        XCTAssertTrue(queue.addOperation(named("4"), keys: ["a"], duplicates: .join) === third)
    }

    // MARK: X7

    func testStallOfAJobThatWaitsForTwoKeys() {
        struct Account: Hashable, CustomStringConvertible {
            let number: Int
            var description: String { "account \(number)" }
        }
        let queue = KeyedQueue<Account>(steps, name: "uploads")
        let uploads = [7, 8]
            .map { number -> ConcurrentOperation in
                let upload = named("upload \(number)")
                queue.addOperation(upload, keys: [Account(number: number)])
                return upload
            }
        let job = ScriptedJob("import") { job in
            let keys: Set<Account> = [Account(number: 7), Account(number: 8)]
            job.trackAndQueue(self.named("merge"), on: queue.keyed(keys))
            job.trackAndQueue(self.named("clean"), on: queue.keyed(Account(number: 8)))
        }
        job.start()
        func lines(after seconds: Int) -> [String] {
            let now = CoarseTime(rawValue: CoarseTime.now.rawValue &+ UInt32(seconds * 8))
            return job.explainStall(at: now).split(separator: "\n").map(String.init)
        }
        XCTAssertEqual(
            lines(after: 0),
            [
                "import: executing", "merge: waits for account 7, which \"upload 7\" holds",
                "clean: waits for account 8, which \"upload 8\" holds",
            ]
        )
        XCTAssertTrue(
            [11, 12].map { "merge: waits for account 7, which \"upload 7\" has held for \($0) s" }
                .contains(lines(after: 12)[1])
        )
        uploads[1].start()
        XCTAssertEqual(lines(after: 0)[2], "clean: waits for account 8, behind \"merge\"")
        job.cancel()
    }

    // MARK: X6 and X8

    func testQueueIsReleasedAndKeepsNoFinishedOperation() async {
        weak var operation: Operation?
        weak var view: AnyObject?
        do {
            let queue = KeyedQueue<String>()
            let first = HeldOperation("first")
            operation = first
            view = queue
            queue.addOperation(first, keys: ["a"])
            await first.began.waitUntilOpen()
            first.finish()
            await bounded { await queue.waitForAllOperations() }
        }
        await eventually { operation == nil && view == nil }
    }

    func testOperationsOfAReleasedQueueArePassedOn() async {
        let operations = ["1", "2"].map { HeldOperation($0) }
        do {
            let queue = KeyedQueue<String>()
            for operation in operations { queue.addOperation(operation, keys: ["a"]) }
        }
        await operations[0].began.waitUntilOpen()
        operations[0].finish()
        await operations[1].began.waitUntilOpen()
        operations[1].finish()
    }

    func testManyThreadsNeverRunTwoOfAKey() async {
        let queue = KeyedQueue<Int>(maxConcurrentOperationCount: 3)
        let gauges = (0..<4).map { _ in Gauge(limit: 1) }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        let keys: Set<Int> = [number % 4, (number + thread) % 4]
                        let operation = ClosureOperation {
                            for key in keys { gauges[key].enter() }
                            for key in keys { gauges[key].leave() }
                        }
                        queue.addOperation(operation, keys: keys)
                        if number % 7 == thread { operation.cancel() }
                        if number % 5 == thread { operation.queuePriority = .high }
                    }
                }
            }
        }
        await bounded { await queue.waitForAllOperations() }
        XCTAssertFalse(gauges.contains(where: \.wasExceeded))
    }
}
