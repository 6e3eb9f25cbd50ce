import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Runs jobs to their end, including jobs with `async` bodies.
final class StepQueueRunTests: XCTestCase {
    private struct Refused: Error {}

    private actor Counter {
        var count = 0
        func next() -> Int {
            count += 1
            return count
        }
    }

    /// Becomes ready after a number of `isReady` calls.
    ///
    /// Until then, the rounds of a run find no work.
    // Operation forces @unchecked. Only one thread at a time reads `isReady`.
    private final class Reluctant: ConcurrentOperation, @unchecked Sendable {
        private var refusals: Int

        init(refusals: Int) { self.refusals = refusals }

        override var isReady: Bool {
            refusals -= 1
            return refusals < 0 && super.isReady
        }
    }

    /// Executes until it is cancelled.
    private final class Stuck: ConcurrentOperation, @unchecked Sendable {
        override func main() {}
        override func didCancel() { finish() }
    }

    // Operation forces @unchecked. The closure is a constant.
    private final class Script: JobController, @unchecked Sendable {
        let log = EventLog()
        private let script: (Script) -> Void

        init(
            _ queue: any OperationScheduling,
            callbackQueue: DispatchQueue? = nil,
            _ script: @escaping (Script) -> Void
        ) {
            self.script = script
            super.init(queue: queue, callbackQueue: callbackQueue)
        }

        override func main() { script(self) }
        override func allTasksFinished() { log.record("all") }
    }

    // MARK: Order

    /// Runs twenty tasks that wait for one that lets rounds pass.
    ///
    /// There are enough tasks that some are picked before all were checked.
    private func waiting(for rounds: Int) async throws -> [String] {
        let queue = StepQueue()
        let job = Script(queue) { job in
            let first = Reluctant(refusals: rounds)
            job.trackAndQueue(first)
            for number in 0..<20 {
                let task = ConcurrentOperation()
                task.addDependency(first)
                job.trackAndQueue(task) { _ in job.log.record("\(number)") }
            }
        }
        try await queue.run(job, seed: 5, patience: .seconds(300))
        return job.log.events
    }

    func testRoundsThatFindNothingHaveNoPartInTheOrder() async throws {
        let order = try await waiting(for: 0)
        XCTAssertEqual(Set(order).count, 21)
        for rounds in [3, 7, 20] {
            let other = try await waiting(for: rounds)
            XCTAssertEqual(other, order, "after \(rounds)")
        }
    }

    /// Returns the orders of several seeds, after checking that each seed reproduces its order.
    private func ordersRepeated(
        _ seeds: UInt64,
        _ order: (UInt64) async throws -> [String]
    ) async throws -> Set<[String]> {
        var orders: Set<[String]> = []
        for seed in 0..<seeds {
            let (first, second) = (try await order(seed), try await order(seed))
            XCTAssertEqual(first, second, "seed \(seed)")
            orders.insert(first)
        }
        return orders
    }

    /// Runs three tasks that suspend twice and start another task at their end.
    private func suspending(seed: UInt64) async throws -> [String] {
        let queue = StepQueue()
        let job = Script(queue) { job in
            for name in ["a", "b", "c"] {
                let task = AsyncOperation(name: name) { [log = job.log] in
                    for part in 1...3 {
                        log.record("\(name)\(part)")
                        await Task.yield()
                    }
                }
                job.trackAndQueue(task) { _ in
                    job.log.record("\(name) told")
                    job.trackAndQueue(BlockOperation { [log = job.log] in log.record("\(name)!") })
                }
            }
        }
        try await queue.run(job, seed: seed)
        return job.log.events
    }

    func testSeedRepeatsTheOrderOfSuspendingBodies() async throws {
        let orders = try await ordersRepeated(50, suspending(seed:))
        for order in orders {
            XCTAssertEqual(order.count, 16)
            XCTAssertEqual(order.last, "all")
        }
        XCTAssertGreaterThan(orders.count, 40)
    }

    func testChildTasksAndActorsTakePartInTheOrder() async throws {
        func order(seed: UInt64) async throws -> [String] {
            let (queue, counter) = (StepQueue(), Counter())
            let job = Script(queue) { job in
                for name in ["a", "b"] {
                    let task = AsyncOperation(name: name) { [log = job.log] in
                        await withTaskGroup(of: Void.self) { group in
                            for child in 1...3 {
                                group.addTask {
                                    let number = await counter.next()
                                    await Task.yield()
                                    log.record("\(name)\(child) is \(number)")
                                }
                            }
                        }
                    }
                    job.trackAndQueue(task)
                }
            }
            try await queue.run(job, seed: seed)
            return job.log.events
        }
        let orders = try await ordersRepeated(20, order(seed:))
        XCTAssertGreaterThan(orders.count, 10)
    }

    func testRetriedBodiesAndNestedJobsTakePart() async throws {
        func order(seed: UInt64) async throws -> [String] {
            let (queue, clock) = (StepQueue(), ManualClock())
            let job = Script(queue) { job in
                let inner = Script(queue) { inner in
                    let retry = RetryOperation(RetryPolicy { _, _ in .zero }) { n in
                        AsyncOperation { [log = job.log] in
                            await Task.yield()
                            log.record("attempt \(n)")
                            if n < 3 { throw Refused() }
                            return n
                        }
                    }
                    retry.clock = clock
                    inner.trackAndQueue(retry, onSuccess: { job.log.record("value \($0)") })
                }
                job.trackAndQueue(inner)
                let other = AsyncOperation { [log = job.log] in
                    for part in 1...5 {
                        log.record("other \(part)")
                        await Task.yield()
                    }
                }
                job.trackAndQueue(other)
            }
            try await queue.run(job, seed: seed)
            return job.log.events
        }
        let orders = try await ordersRepeated(20, order(seed:))
        XCTAssertGreaterThan(orders.count, 5)
    }

    // MARK: The end

    func testJobsErrorIsThrown() async {
        let queue = StepQueue()
        let job = Script(queue) { job in
            job.trackAndQueue(AsyncOperation<Void> { throw Refused() })
            job.trackAndQueue(AsyncOperation { try await Task.sleep(for: .seconds(1_000_000)) })
        }
        do {
            try await queue.run(job, seed: 1)
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is Refused, "\(error)")
        }
    }

    func testCancelledTaskCancelsTheJob() async throws {
        let (queue, began) = (StepQueue(), Gate())
        let job = Script(queue) { job in
            job.trackAndQueue(
                AsyncOperation {
                    began.open()
                    try await Task.sleep(for: .seconds(1_000_000))
                }
            )
        }
        let run = Task { try await queue.run(job, seed: 1, patience: .seconds(300)) }
        await began.waitUntilOpen()
        run.cancel()
        do {
            try await run.value
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)")
        }
        guard case .cancelled? = job.outcome else { return XCTFail("not cancelled") }
    }

    func testJobThatWasCancelledBeforeTheRunEnds() async {
        let queue = StepQueue()
        let job = Script(queue) { job in job.log.record("main") }
        job.cancel()
        do {
            try await queue.run(job, seed: 1)
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)")
        }
        XCTAssertEqual(job.log.events, [])
    }

    func testCallbacksHaveReturnedWhenTheRunHas() async throws {
        let queue = StepQueue()
        let callbacks = DispatchQueue(label: "callbacks")
        let job = Script(queue, callbackQueue: callbacks) { job in
            dispatchPrecondition(condition: .onQueue(callbacks))
            job.trackAndQueue(AsyncOperation { 1 }, onSuccess: { _ in job.log.record("value") })
        }
        try await queue.run(job, seed: 3)
        XCTAssertEqual(job.log.events, ["value", "all"])
    }

    // MARK: Stalls

    func testStalledJobIsExplained() async {
        let queue = StepQueue()
        let job = Script(queue) { job in
            let stuck = Stuck()
            stuck.name = "ask"
            job.trackAndQueue(stuck)
            let blocked = BlockOperation {}
            blocked.name = "blocked"
            blocked.addDependency(stuck)
            job.trackAndQueue(blocked)
        }
        job.name = "import"
        do {
            try await queue.run(job, seed: 7, patience: .milliseconds(20))
            XCTFail("no error")
        } catch let error as StepQueueStallError {
            XCTAssertEqual("\(error)", "import cannot continue without time or an outside event.")
            XCTAssertEqual(
                error.explanation.split(separator: "\n").map(String.init),
                ["import: executing", "ask: executing", "blocked: waits for ask"]
            )
        } catch {
            XCTFail("\(error)")
        }
        job.cancel()
        queue.runAll(seed: 0)
        await bounded { await job.waitForFinish() }
    }

    func testStalledRunContinues() async throws {
        let (queue, clock) = (StepQueue(), ManualClock())
        let job = Script(queue) { job in
            let task = AsyncOperation { [log = job.log] in
                try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
                log.record("slept")
            }
            job.trackAndQueue(task)
        }
        do {
            try await queue.run(job, seed: 1, patience: .milliseconds(20))
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is StepQueueStallError, "\(error)")
        }
        clock.advance(by: .seconds(5))
        try await queue.run(job, seed: 1)
        XCTAssertEqual(job.log.events, ["slept", "all"])
    }

    func testClockIsAdvancedBesideTheRun() async throws {
        let (queue, clock) = (StepQueue(), ManualClock())
        let job = Script(queue) { job in
            let retry = RetryOperation(RetryPolicy { failed, _ in .seconds(failed) }) { n in
                AsyncOperation { if n < 3 { throw Refused() } }
            }
            retry.clock = clock
            job.trackAndQueue(retry)
        }
        async let ended: Void = queue.run(job, seed: 1, patience: .seconds(300))
        for seconds in [1, 2] {
            await clock.waitForDeadline(clock.now.advanced(by: .seconds(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        try await ended
        XCTAssertEqual(job.log.events, ["all"])
    }

    func testWorkOfAnotherThreadIsAwaited() async throws {
        let queue = StepQueue()
        let job = Script(queue) { job in
            let call = CallbackOperation<Int> { done in
                DispatchQueue.global().async { done(.success(1)) }
            }
            job.trackAndQueue(
                call,
                onSuccess: { _ in
                    job.trackAndQueue(
                        AsyncOperation { await MainActor.run { 2 } },
                        onSuccess: { two in
                            job.log.record("\(two)")
                        }
                    )
                }
            )
        }
        try await queue.run(job, seed: 1, patience: .seconds(300))
        XCTAssertEqual(job.log.events, ["2", "all"])
    }

    func testBodyLeftRunningContinuesByItself() async throws {
        let (queue, began, gate, ended) = (StepQueue(), Gate(), Gate(), Gate())
        let job = Script(queue) { job in
            let left = AsyncOperation {
                began.open()
                await gate.waitUntilOpen()
                await Task.yield()
                ended.open()
            }
            job.trackAndQueue(left, cancellation: .leaveRunning)
            job.trackAndQueue(AsyncOperation { await began.waitUntilOpen() }) { _ in job.finish() }
        }
        try await queue.run(job, seed: 1, patience: .seconds(300))
        gate.open()
        await ended.waitUntilOpen()
    }
}
