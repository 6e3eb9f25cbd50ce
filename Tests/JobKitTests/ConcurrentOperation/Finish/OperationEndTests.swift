import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O5: no code of an operation runs before its `main()` or after its end.
final class OperationEndTests: XCTestCase {
    // MARK: Between the start and main()

    /// Starts an operation with a clock that holds it before `main()`, and runs `body` at that
    /// time.
    ///
    /// It returns when `start()` has returned.
    private func start(_ operation: ConcurrentOperation, holding body: () async -> Void) async {
        let clock = HeldClock()
        clock.holdNext()
        operation.clock = clock
        operation.maximumRuntime = .seconds(1_000)
        let returned = expectation(description: "start() has returned")
        Thread.detachNewThread {
            operation.start()
            returned.fulfill()
        }
        await wait(for: clock.wasRead)
        await body()
        clock.mayReturn.open()
        await fulfillment(of: [returned], timeout: 300)
    }

    func testCancelBetweenStartAndMainEndsItWithoutEither() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        await start(operation) {
            operation.cancel()
            XCTAssertTrue(operation.isFinished)
        }
        XCTAssertEqual([operation.mains.count, operation.cancels.count], [0, 0])
        XCTAssertEqual(operation.outcome?.text, "cancelled")
    }

    func testFinishBetweenStartAndMainEndsItWithoutMain() async {
        for error in [nil, SampleError()] {
            let operation = HeldOperation(stopsWhenCancelled: false)
            await start(operation) {
                if let error { operation.finish(with: error) } else { operation.finish() }
                XCTAssertTrue(operation.isFinished)
            }
            XCTAssertEqual(operation.mains.count, 0)
            XCTAssertEqual(operation.error as? SampleError, error)
        }
    }

    // O8: a timeout before `main()` is not lost.
    func testTimeoutBetweenStartAndMainSkipsMainAndDidCancel() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        await start(operation) {
            operation.maximumRuntime = .zero
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual([operation.mains.count, operation.cancels.count], [0, 0])
        XCTAssertEqual((operation.error as? OperationTimeoutError)?.limit, .zero)
        XCTAssertTrue(operation.isCancelled)
    }

    func testCancelBetweenStartAndMainReleasesThePermit() async {
        let (queue, clock) = (TaskQueue(maxConcurrentOperationCount: 1), HeldClock())
        clock.holdNext()
        let (operation, next) = (
            HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false)
        )
        operation.clock = clock
        operation.maximumRuntime = .seconds(1_000)
        queue.add(operation, next)
        await wait(for: clock.wasRead)
        operation.cancel()
        clock.mayReturn.open()
        await wait(for: next.began)
        next.finish()
        await drain(queue)
        XCTAssertEqual(operation.mains.count, 0)
    }

    func testJobEndedBetweenStartAndMainSkipsMainAndDidCancel() async {
        for isCancelled in [true, false] {
            let job = ScriptedJob { $0.log.record("main") }
            job.onDidCancel = { $0.log.record("didCancel") }
            await start(job) {
                if isCancelled { job.cancel() } else { job.finish() }
            }
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events, [])
            XCTAssertEqual(job.outcome?.text, isCancelled ? "cancelled" : "succeeded")
        }
    }

    // J16: the context's code also runs between the start and `main()`.
    func testJobCancelledByItsContextSkipsMainAndDidCancel() async {
        let task = HeldOperation(stopsWhenCancelled: false)
        let job = ScriptedJob { $0.log.record("main") }
        job.onDidCancel = { $0.log.record("didCancel") }
        job.setContext { [weak job] body in
            job?.cancel()
            body()
        }
        job.track(task, cancellation: .leaveRunning)
        job.start()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, [])
        XCTAssertEqual(job.outcome?.text, "cancelled")
    }

    // J16: a task's start runs inside the context of its job.
    func testTaskEndedByItsJobsContextSkipsMainAndDidCancel() async {
        for isCancelled in [true, false] {
            let task = HeldOperation(stopsWhenCancelled: false)
            let job = ScriptedJob { $0.trackAndQueue(task) }
            job.setContext { body in
                if task.isExecuting { if isCancelled { task.cancel() } else { task.finish() } }
                body()
            }
            job.startJob()
            for operation in [task, job] {
                await bounded { await operation.waitForFinish() }
            }
            XCTAssertEqual([task.mains.count, task.cancels.count], [0, 0])
        }
    }

    // R2: observers are notified of the start before it.
    func testCancelInTheStartNotificationSkipsMainAndDidCancel() async {
        for name in ["task", "job"] {
            let task = HeldOperation("task", stopsWhenCancelled: false)
            let job = ScriptedJob("job") { job in
                job.log.record("main")
                job.trackAndQueue(task)
            }
            job.onDidCancel = { $0.log.record("didCancel") }
            job.addObserver(
                StartObserver { event in
                    guard event.name == name else { return }
                    if name == "task" { task.cancel() } else { job.cancel() }
                }
            )
            job.startJob()
            await waitForFinish(ofCancelled: job)
            XCTAssertEqual([task.mains.count, task.cancels.count], [0, 0])
            XCTAssertEqual(
                job.events,
                name == "task" ? ["main", "task task", "group HeldOperation", "all"] : []
            )
        }
    }

    // MARK: While didCancel() runs

    // O5: this also applies to a `finish` that `didCancel()` itself calls.
    func testFinishInsideDidCancelTakesEffectAfterItsReturn() {
        let log = EventLog()
        let operation = ScriptedOperation(
            onCancel: {
                $0.finish()
                log.record("finished \($0.isFinished)")
            },
            onMain: { _ in }
        )
        operation.start()
        operation.cancel()
        XCTAssertEqual(log.events, ["finished false"])
        XCTAssertTrue(operation.isFinished)
    }

    // O5: the decided ending of a job waits for `didCancel()`.
    func testJobDoesNotEndDuringDidCancel() async {
        for failure in [nil, SampleError()] {
            let (told, goOn) = (Gate(), Gate())
            let task = HeldOperation("task", stopsWhenCancelled: false)
            let job = ScriptedJob { $0.trackAndQueue(task) }
            job.onDidCancel = {
                told.open()
                goOn.wait()
                $0.log.record("finished \($0.isFinished)")
            }
            job.startJob()
            await wait(for: task.began)
            if let failure { job.finish(with: failure) } else { job.finish() }
            DispatchQueue.global().async { job.cancel() }
            await wait(for: told)
            task.finish()
            // The job releases its task as soon as its ending is decided.
            await eventually { job.trackedTasks.isEmpty && job.currentLifecycle.contains(.decided) }
            XCTAssertFalse(job.isFinished)
            goOn.open()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events, ["finished false"])
            XCTAssertEqual(job.error as? SampleError, failure)
        }
    }
}

/// Calls a closure at each start.
private final class StartObserver: JobObserver {
    private let body: @Sendable (JobEvent) -> Void

    init(_ body: @escaping @Sendable (JobEvent) -> Void) { self.body = body }

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.kind == .started { body(event) }
    }
}
