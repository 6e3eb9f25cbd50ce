import Foundation
import JobKit
import JobKitTesting
import XCTest

// Operation forces @unchecked. The properties are constants.
/// Records the trace in `main()`.
private final class TracedOperation: ConcurrentOperation, @unchecked Sendable {
    private let log: EventLog

    init(_ name: String, _ log: EventLog) {
        self.log = log
        super.init()
        self.name = name
    }

    override func main() {
        log.record("\(name ?? "") in \(Trace.id)")
        finish()
    }
}

// J16
final class JobContextTests: XCTestCase {
    /// Binds a trace inside the one that is already bound.
    private func setTrace(_ id: String, of job: JobController) {
        job.setContext { body in
            let path = Trace.id == "none" ? id : "\(Trace.id)/\(id)"
            Trace.$id.withValue(path) { body() }
        }
    }

    /// Returns a job that records the trace in every callback.
    private func tracedJob(
        _ name: String = "job",
        log: EventLog = EventLog(),
        callbackQueue: DispatchQueue? = nil,
        script: @escaping (ScriptedJob) -> Void
    ) -> ScriptedJob {
        let job = ScriptedJob(name, log: EventLog(), callbackQueue: callbackQueue) { job in
            log.record("\(name) main in \(Trace.id)")
            script(job)
        }
        job.onTask = { _, _ in log.record("\(name) task in \(Trace.id)") }
        job.onFailure = { _, _ in
            log.record("\(name) failed in \(Trace.id)")
            return .carryOn
        }
        job.onGroup = { _, _ in log.record("\(name) group in \(Trace.id)") }
        job.onAll = { _ in log.record("\(name) all in \(Trace.id)") }
        job.onCancelled = { _ in log.record("\(name) cancelled in \(Trace.id)") }
        return job
    }

    func testMainAndEveryCallbackRunInsideTheContext() async throws {
        for callbackQueue in [nil, DispatchQueue(label: "callbacks")] {
            let log = EventLog()
            let job = tracedJob(log: log, callbackQueue: callbackQueue) { job in
                let bad = InstantOperation("bad", failure: SampleError("bad"))
                job.trackAndQueue(bad) { _ in log.record("closure in \(Trace.id)") }
                job.perform(after: .zero) {
                    log.record("delay in \(Trace.id)")
                    job.trackAndQueue(ConcurrentOperation())
                }
                job.track(self.heldUntil("delay in a", in: log))
            }
            setTrace("a", of: job)
            try await job.run()
            XCTAssertEqual(
                Set(log.events),
                [
                    "job main in a", "job failed in a", "closure in a", "delay in a",
                    "job task in a",
                    "job group in a", "job all in a",
                ]
            )
        }
    }

    /// Returns an operation that executes until an event, so that its job does not end earlier.
    private func heldUntil(_ event: String, in log: EventLog) -> Operation {
        let operation = AsyncOperation { await log.waitForEvent(event) }
        operation.start()
        return operation
    }

    func testJobCancelledRunsInsideTheContext() async {
        let log = EventLog()
        let job = tracedJob(log: log) { $0.cancel() }
        setTrace("a", of: job)
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(log.events, ["job main in a", "job cancelled in a"])
    }

    func testTasksOfEveryKindOnEveryQueueStartInsideTheContext() async throws {
        let queues: [any OperationScheduling] = [
            TaskQueue(), OperationQueue(), TaskQueue(maxConcurrentOperationCount: 1), InlineQueue(),
        ]
        for queue in queues {
            let log = EventLog()
            let job = tracedJob { job in
                let group = JobGroup.named("all")
                job.trackAndQueue(TracedOperation("operation", log), on: queue, group: group)
                job.trackAndQueue(
                    AsyncOperation {
                        log.record("body in \(Trace.id)")
                        await Task { log.record("task in \(Trace.id)") }.value
                    },
                    on: queue,
                    group: group
                )
                if queue is TaskQueue || queue is InlineQueue {
                    let block = BlockOperation { log.record("block in \(Trace.id)") }
                    job.trackAndQueue(block, on: queue, group: group)
                }
            }
            job.setContext { body in Trace.$id.withValue("a") { body() } }
            try await job.run()
            let expected: Set = ["operation in a", "body in a", "task in a"]
            let plain = queue is OperationQueue ? [] : ["block in a"]
            XCTAssertEqual(Set(log.events), expected.union(plain))
        }
    }

    func testTaskStartedByOtherCodeRunsInsideTheContext() async {
        let log = EventLog()
        let operation = TracedOperation("operation", log)
        let job = tracedJob(log: log) { $0.track(operation) }
        job.onTask = nil
        setTrace("a", of: job)
        job.start()
        operation.start()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(log.events.contains("operation in a"))
    }

    func testNestedJobsInheritTheContextAndRunTheirOwnInside() async throws {
        let log = EventLog()
        let own = tracedJob("own", log: log) { job in
            job.trackAndQueue(TracedOperation("task of own", log))
        }
        setTrace("b", of: own)
        let heir = tracedJob("heir", log: log) { job in
            job.trackAndQueue(TracedOperation("task of heir", log))
            job.trackAndQueue(own)
        }
        let job = tracedJob("job", log: log) { $0.trackAndQueue(heir) }
        setTrace("a", of: job)
        try await job.run()
        let expected: Set = [
            "job main in a", "heir main in a", "task of heir in a", "own main in a/b",
            "task of own in a/b", "own task in a/b", "own group in a/b", "own all in a/b",
            "heir task in a", "heir group in a", "heir all in a", "job task in a", "job group in a",
            "job all in a",
        ]
        XCTAssertEqual(Set(log.events), expected)
        // No job's context stays bound when the job above continues.
        XCTAssertEqual(Trace.id, "none")
    }

    func testContextReachesALeafInEveryOrderOfBuilding() async throws {
        let orders = permutations(of: Array(0..<5))
        XCTAssertEqual(orders.count, 120)
        for order in orders {
            let log = EventLog()
            let leaf = TracedOperation("leaf", log)
            let inner = ScriptedJob("inner")
            let (middle, outer) = (ScriptedJob("middle"), ScriptedJob("outer"))
            for step in order {
                switch step {
                case 0: outer.track(middle)
                case 1: middle.track(inner)
                case 2: inner.track(leaf)
                case 3: setTrace("a", of: outer)
                default: setTrace("b", of: middle)
                }
            }
            for operation in [outer, middle, inner, leaf] { operation.start() }
            await bounded { await outer.waitForFinish() }
            XCTAssertEqual(log.events, ["leaf in a/b"], "\(order)")
        }
    }

    private func permutations(of numbers: [Int]) -> [[Int]] {
        guard numbers.count > 1 else { return [numbers] }
        return numbers.flatMap { first in
            permutations(of: numbers.filter { $0 != first }).map { [first] + $0 }
        }
    }

    func testContextThatIsReplacedBeforeTheStartIsNotUsed() async throws {
        let log = EventLog()
        let nested = tracedJob("nested", log: log) { $0.trackAndQueue(TracedOperation("t", log)) }
        let job = tracedJob("job", log: log) { _ in nested.start() }
        job.track(nested)
        setTrace("first", of: job)
        setTrace("last", of: job)
        try await job.run()
        XCTAssertEqual(log.events.filter { $0.contains("first") }, [])
        XCTAssertTrue(log.events.contains("t in last"))
    }

    func testJobWithoutAContextIsOutsideOfThatOfItsTasks() async throws {
        let log = EventLog()
        let nested = tracedJob("nested", log: log) { _ in }
        setTrace("a", of: nested)
        let job = tracedJob("job", log: log) { $0.trackAndQueue(nested) }
        try await job.run()
        XCTAssertEqual(
            log.events,
            [
                "job main in none", "nested main in a", "nested all in a", "job task in none",
                "job group in none", "job all in none",
            ]
        )
    }

    func testTaskOfTwoJobsRunsInsideTheContextOfTheFirstThatHasOne() async throws {
        let log = EventLog()
        let task = TracedOperation("task", log)
        let (plain, first, second) = (ScriptedJob("plain"), ScriptedJob("1"), ScriptedJob("2"))
        setTrace("first", of: first)
        setTrace("second", of: second)
        for job in [plain, first, second] {
            job.track(task)
            job.startJob()
        }
        task.start()
        for operation in [plain, first, second] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(log.events, ["task in first"])
    }

    func testTasksThatAreLeftRunningStartInsideTheContext() async {
        // The tasks are already in their queue, and their job holds them back.
        for isHeld in [false, true] {
            let (log, queue) = (EventLog(), TaskQueue(name: "paused"))
            queue.isSuspended = true
            let tasks = [
                TracedOperation("operation", log),
                AsyncOperation { log.record("body in \(Trace.id)") },
                BlockOperation { log.record("block in \(Trace.id)") },
            ]
            let job = tracedJob { job in
                job.isSuspended = isHeld
                for task in tasks {
                    job.trackAndQueue(task, on: queue, cancellation: .leaveRunning)
                }
                job.cancel()
            }
            job.setContext { body in Trace.$id.withValue("a") { body() } }
            job.startJob()
            await bounded { await job.waitForFinish() }
            queue.isSuspended = false
            await queue.waitForAllOperations()
            XCTAssertEqual(
                Set(log.events),
                ["operation in a", "body in a", "block in a"],
                "held: \(isHeld)"
            )
        }
    }

    /// O11: the tasks that an abandoned job leaves start inside its context.
    func testTasksOfAnAbandonedJobStartInsideTheContext() async {
        let (log, queue, clock) = (EventLog(), TaskQueue(name: "paused"), ManualClock())
        queue.isSuspended = true
        let release = Gate()
        let stuck = ToldOperation { release.wait() }
        let waiting = [
            TracedOperation("operation", log),
            BlockOperation { log.record("block in \(Trace.id)") },
        ]
        let job = tracedJob { job in
            job.trackAndQueue(stuck)
            // The cancellation does not reach them.
            for task in waiting {
                job.trackAndQueue(task, on: queue, cancellation: .leaveRunning)
            }
        }
        job.setContext { body in Trace.$id.withValue("a") { body() } }
        (job.clock, job.maximumStopTime) = (clock, .seconds(5))
        job.startJob()
        await wait(for: stuck.began)
        await eventually { job.trackedTasks.count == 3 }
        DispatchQueue.global().async { job.cancel() }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await bounded { await job.waitForFinish() }
        queue.isSuspended = false
        await queue.waitForAllOperations()
        XCTAssertEqual(Set(log.events), ["operation in a", "block in a"])
        release.open()
        await bounded { await stuck.waitForFinish() }
    }

    /// J10: a context that captures its job creates no retain cycle that outlives the job.
    func testContextIsReleasedWhenItsJobHasEnded() async {
        for end in 0..<4 {
            let log = EventLog()
            func make() async {
                let job = ScriptedJob { $0.trackAndQueue(InstantOperation("task")) }
                let token = ReleaseToken { log.record("released") }
                job.setContext { body in
                    withExtendedLifetime((job, token)) { body() }
                }
                let nested = ScriptedJob("nested")
                nested.setContext { body in withExtendedLifetime((job, nested)) { body() } }
                job.track(nested)
                nested.startJob()
                switch end {
                case 0: job.startJob()
                case 1:
                    job.startJob()
                    job.cancel()
                case 2: job.cancel()
                default: job.finish()
                }
                await bounded { await nested.waitForFinish() }
            }
            await make()
            await log.waitForEvent("released")
        }
    }

    func testTaskNeverStartedIsReleasedWithItsContext() async {
        for isPlain in [false, true] {
            let log = EventLog()
            func make() async {
                let token = ReleaseToken { log.record("released") }
                let task = isPlain ? BlockOperation { _ = token } : TokenOperation(token)
                let job = tracedJob { job in
                    job.track(task, cancellation: .leaveRunning)
                    job.cancel()
                }
                setTrace("a", of: job)
                job.startJob()
                await bounded { await job.waitForFinish() }
            }
            await make()
            await log.waitForEvent("released")
        }
    }
}

// Operation forces @unchecked. The properties are constants.
/// Calls a closure in `didCancel()`.
private final class ToldOperation: ConcurrentOperation, @unchecked Sendable {
    let began = Gate()
    private let told: @Sendable () -> Void

    init(_ told: @escaping @Sendable () -> Void) { self.told = told }

    override func main() { began.open() }

    override func didCancel() {
        told()
        finish()
    }
}

// Operation forces @unchecked. The property is a constant.
/// Owns a token.
private final class TokenOperation: ConcurrentOperation, @unchecked Sendable {
    private let token: ReleaseToken

    init(_ token: ReleaseToken) { self.token = token }
}
