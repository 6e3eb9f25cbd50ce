import Foundation
import JobKit
import XCTest

@testable import JobKitTesting

final class StepOrderTests: XCTestCase {
    private struct Wrong: Error {}

    /// A job with two chains of two steps and a third task: 5! / 4 = 30 orders.
    private final class Chains: JobController, @unchecked Sendable {
        private(set) var events: [String] = []

        override func main() {
            for name in ["a", "b"] {
                add("\(name)1") { $0.add("\(name)2") { _ in } }
            }
            add("c") { _ in }
        }

        private func add(_ name: String, _ next: @escaping @Sendable (Chains) -> Void) {
            let task = ConcurrentOperation()
            task.name = name
            trackAndQueue(task) { [unowned self] _ in
                events.append(name)
                next(self)
            }
        }
    }

    /// Bodies that continue after each of their `await`s: 4! / (2! · 2!) orders of their parts.
    private final class Bodies: JobController, @unchecked Sendable {
        let log = EventLog()

        override func main() {
            for name in ["a", "b"] {
                trackAndQueue(
                    AsyncOperation(name: name) { [log] in
                        log.record("\(name) read")
                        await Task.yield()
                        log.record("\(name) write")
                    }
                ) {}
            }
        }
    }

    func testEveryOrderRunsOnce() async throws {
        var orders: [[String]] = []
        let report = try await StepQueue.runEveryOrder {
            Chains(queue: $0)
        } check: {
            orders.append($0.events)
        }
        XCTAssertEqual(report.description, "all 30 orders")
        // Some random orders come first.
        XCTAssertEqual(Set(orders).count, 30)
        XCTAssertEqual(Set(orders.suffix(30)).count, 30)
    }

    func testBodiesContinueInEveryOrder() async throws {
        var orders: Set<[String]> = []
        try await StepQueue.runEveryOrder {
            Bodies(queue: $0)
        } check: {
            orders.insert($0.log.events)
        }
        XCTAssertEqual(orders.count, 6)
    }

    func testFailingOrderIsNamedAndCanBeRepeated() async throws {
        let failing = ["c", "b1", "b2", "a1", "a2"]
        do {
            try await StepQueue.runEveryOrder {
                Chains(queue: $0)
            } check: {
                if $0.events == failing { throw Wrong() }
            }
            XCTFail("no error")
        } catch let error as StepOrderError {
            XCTAssertTrue(error.underlyingError is Wrong)
            XCTAssertEqual(error.steps.suffix(5), failing[...])
            let text =
                "Chains fails in the order \"\(error.order)\" (Chains, c, b1, b2, a1, a2): Wrong()"
            XCTAssertEqual(error.description, text)
            let queue = StepQueue()
            let job = Chains(queue: queue)
            try await queue.run(job, order: error.order)
            XCTAssertEqual(job.events, failing)
            XCTAssertEqual(StepOrder(error.order.description), error.order)
        }
    }

    func testJobThatFailsInAnOrderIsReported() async throws {
        final class Failing: JobController, @unchecked Sendable {
            override func main() {
                trackAndQueue(ClosureOperation(name: "fails") { throw Wrong() }) {}
            }
        }
        do {
            try await StepQueue.runEveryOrder { Failing(queue: $0) }
            XCTFail("no error")
        } catch let error as StepOrderError {
            XCTAssertTrue(error.underlyingError is Wrong)
            XCTAssertEqual(error.order, "")
        }
    }

    func testMoreOrdersThanTheLimitAreSampled() async throws {
        final class Wide: JobController, @unchecked Sendable {
            override func main() { for _ in 0..<12 { trackAndQueue(ConcurrentOperation()) } }
        }
        let report = try await StepQueue.runEveryOrder(limit: 20) { Wide(queue: $0) }
        XCTAssertEqual(report, StepOrders(count: 20, isComplete: false))
        XCTAssertEqual(report.description, "20 of more, by PCT")
        XCTAssertEqual(StepOrders(count: 1_260, isComplete: true).description, "all 1,260 orders")
    }

    /// The number of runs decides which task comes first.
    func testJobThatDoesNotRepeatIsReported() async throws {
        var runs = 0
        do {
            try await StepQueue.runEveryOrder { queue in
                runs += 1
                let job = JobController(name: "Sync", queue: queue)
                let task = ConcurrentOperation()
                task.name = "task \(runs)"
                job.trackAndQueue(task)
                return job
            }
            XCTFail("no error")
        } catch let error as StepRepeatError {
            XCTAssertEqual(error.names, ["task 1", "task 2"])
            XCTAssertEqual(
                error.description,
                #"Sync does not repeat: step 2 is "task 1" or "task 2"."#
            )
        }
    }

    func testStepFromAnotherThreadIsNamed() async throws {
        final class Outside: JobController, @unchecked Sendable {
            let number: Int
            init(_ number: Int, queue: StepQueue) {
                self.number = number
                super.init(name: "Sync", queue: queue)
            }
            override func main() {
                let reply = EventOperation<Void>(name: "reply")
                trackAndQueue(reply) { [self] in
                    let (added, release) = (Gate(), Gate())
                    let task = ConcurrentOperation()
                    task.name = "upload \(number)"
                    track(task)
                    DispatchQueue.global()
                        .async { [queue] in
                            release.wait()
                            queue.addOperation(task)
                            added.open()
                        }
                    release.open()
                    added.wait()
                }
                reply.finish()
            }
        }
        var runs = 0
        do {
            try await StepQueue.runEveryOrder { queue in
                runs += 1
                return Outside(runs, queue: queue)
            }
            XCTFail("no error")
        } catch let error as StepRepeatError {
            XCTAssertEqual(error.outsideStep, "upload 1")
        }
    }

    /// The Swift task of a body often gets the address of one that has ended.
    func testBodiesOneAfterAnotherKeepTheirNames() async throws {
        let names = (0..<20).map { "\($0)" }
        let queue = StepQueue()
        let job = JobController(name: "job", queue: queue)
        @Sendable func add(_ number: Int) {
            guard number < names.count else { return }
            let body = AsyncOperation(name: names[number]) { await Task.yield() }
            job.trackAndQueue(body, completion: { _ in add(number + 1) })
        }
        add(0)
        let chooser = StepChooser([][...])
        let (result, trace) = await queue.run(job, chooser: chooser, patience: .seconds(10))
        try result.get()
        // The start of each body, its two parts, and `Task.yield()` between them.
        let steps = trace.dropFirst().map(\.name)
        XCTAssertEqual(steps, names.flatMap { [$0, $0, $0, $0] })
    }

    func testAttemptsOfRetriesRepeat() async throws {
        let report = try await StepQueue.runEveryOrder { queue in
            let job = JobController(name: "uploads", queue: queue)
            for name in ["a", "b"] {
                let retry = RetryOperation(.exponential(attempts: 2, initialDelay: .zero)) {
                    AsyncOperation(name: "attempt \($0) of \(name)") { await Task.yield() }
                }
                job.trackAndQueue(retry, completion: { _ in })
            }
            return job
        }
        XCTAssertTrue(report.isComplete, "\(report)")
    }

    /// A delay passes on another thread, which the error names.
    ///
    /// If the step before has not ended by then, its thread adds the attempt. Therefore, the test
    /// tries again.
    func testAttemptAfterADelayIsNamed() async throws {
        var outsideStep: String?
        for _ in 1...50 where outsideStep == nil {
            outsideStep = try await errorOfAttemptAfterADelay().outsideStep
        }
        XCTAssertEqual(outsideStep?.hasPrefix("attempt in run"), true)
    }

    private func errorOfAttemptAfterADelay() async throws -> StepRepeatError {
        var runs = 0
        do {
            try await StepQueue.runEveryOrder { queue in
                runs += 1
                let (job, run) = (JobController(name: "Sync", queue: queue), runs)
                let retry = RetryOperation(
                    .exponential(attempts: 2, initialDelay: .milliseconds(1)),
                    on: queue
                ) { number -> ClosureOperation<Void> in
                    let name = number == 1 ? "first attempt" : "attempt in run \(run)"
                    return ClosureOperation(name: name) { if number == 1 { throw Wrong() } }
                }
                job.trackAndQueue(retry, completion: { _ in })
                return job
            }
        } catch let error as StepRepeatError {
            return error
        }
        XCTFail("no error")
        throw Wrong()
    }

    func testOrderIsReadFromText() {
        func order(_ text: String) -> StepOrder? { StepOrder(text) }
        XCTAssertEqual(order("2.0.1")?.choices, [2, 0, 1])
        XCTAssertEqual(StepOrder(choices: [1, 0, 0]).description, "1")
        XCTAssertEqual(order("")?.choices, [])
        for text in ["a", "1.", "1..2", "-1"] { XCTAssertNil(order(text)) }
    }
}
