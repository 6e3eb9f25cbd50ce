import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O5: no code of an operation's runs before its `main()` or after its end.
final class OperationEndTests: XCTestCase {
    // MARK: Between the start and main()

    /// Starts an operation whose clock holds it before `main()`, does something meanwhile, and
    /// returns when `start()` has returned.
    private func start(_ operation: ConcurrentOperation, holding body: () async -> Void) async {
        let clock = HeldClock()
        operation.clock = clock
        operation.maximumRuntime = .seconds(1_000)
        let returned = expectation(description: "start() has returned")
        Thread.detachNewThread {
            operation.start()
            returned.fulfill()
        }
        await wait(for: clock.asked)
        await body()
        clock.goOn.open()
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

    // O8: an overrun that comes before `main()` is not lost.
    func testOverrunBetweenStartAndMainEndsItWithoutEither() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        await start(operation) {
            operation.maximumRuntime = .zero
            await waitForFinish(of: operation)
        }
        XCTAssertEqual([operation.mains.count, operation.cancels.count], [0, 0])
        XCTAssertEqual((operation.error as? OperationTimedOut)?.limit, .zero)
        XCTAssertTrue(operation.isCancelled)
    }

    func testCancelBetweenStartAndMainReleasesTheQueuesPlace() async {
        let (queue, clock) = (TaskQueue(maxConcurrentOperationCount: 1), HeldClock())
        let (operation, next) = (
            HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false)
        )
        operation.clock = clock
        operation.maximumRuntime = .seconds(1_000)
        queue.add(operation, next)
        await wait(for: clock.asked)
        operation.cancel()
        clock.goOn.open()
        await wait(for: next.began)
        next.finish()
        await drain(queue)
        XCTAssertEqual(operation.mains.count, 0)
    }

    func testJobCancelledOrFinishedBetweenStartAndMainEntersNeither() async {
        for isCancelled in [true, false] {
            let job = ScriptedJob { $0.log.record("main") }
            job.onDidCancel = { $0.log.record("didCancel") }
            await start(job) {
                if isCancelled { job.cancel() } else { job.finish() }
            }
            await waitForFinish(of: job)
            XCTAssertEqual(job.events, [])
            XCTAssertEqual(job.outcome?.text, isCancelled ? "cancelled" : "succeeded")
        }
    }

    // J16: the context's code runs between the start and `main()` too.
    func testJobCancelledByItsContextEntersNeither() async {
        let task = HeldOperation(stopsWhenCancelled: false)
        let job = ScriptedJob { $0.log.record("main") }
        job.onDidCancel = { $0.log.record("didCancel") }
        job.setContext { [weak job] body in
            job?.cancel()
            body()
        }
        job.track(task, cancellation: .leaveRunning)
        job.start()
        await waitForFinish(of: job)
        XCTAssertEqual(job.events, [])
        XCTAssertEqual(job.outcome?.text, "cancelled")
    }

    // MARK: While didCancel() runs

    // O5: also the finish that `didCancel()` itself calls.
    func testFinishInsideDidCancelComesTrueWhenItHasReturned() {
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

    // O5: an end that a job has decided upon waits for `didCancel()`.
    func testJobDoesNotEndWhileItIsToldOfACancel() async {
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
            // The job has let its task go as soon as its end is decided.
            await eventually { job.trackedTasks.isEmpty && job.currentLifecycle.contains(.decided) }
            XCTAssertFalse(job.isFinished)
            goOn.open()
            await waitForFinish(of: job)
            XCTAssertEqual(job.events, ["finished false"])
            XCTAssertEqual(job.error as? SampleError, failure)
        }
    }

    // MARK: Stress

    /// Cancelled, overrun or finished by another thread at about the time of the start.
    ///
    /// Nobody can tell `main()` having been entered from its thread being put aside before its
    /// first line, so a few of these are seen in whatever order. A gap in which other code runs is
    /// met thousands of times.
    func testNothingRunsBeforeMainOrAfterTheEnd() async {
        let rounds = 30_000
        let operations = (0..<rounds)
            .map { _ in
                let operation = EndProbe()
                operation.maximumRuntime = .seconds(1_000)
                return operation
            }
        let turn = TurnBarrier(threads: 2)
        await runOnThreads(2) { number in
            var random = WalkGenerator(seed: UInt64(number))
            for (round, operation) in operations.enumerated() {
                turn.wait()
                guard number == 1 else {
                    operation.start()
                    continue
                }
                for _ in 0..<Int.random(in: 0..<200, using: &random) { _ = operation.isFinished }
                switch round % 3 {
                case 0: operation.cancel()
                case 1: operation.finish()
                default: operation.maximumRuntime = .zero
                }
            }
        }
        for operation in operations where !operation.isFinished {
            await waitForFinish(of: operation)
        }
        let faults = operations.map(\.faults).reduce([0, 0, 0]) { zip($0, $1).map(+) }
        XCTAssertLessThan(faults[0], rounds / 1_000, "main() after the end")
        XCTAssertLessThan(faults[1], rounds / 1_000, "didCancel() before main()")
        XCTAssertEqual(faults[2], 0, "the end while didCancel() ran")
        let skipped = operations.filter { !$0.hasEntered }
        XCTAssertGreaterThan(skipped.count, 0)
        XCTAssertLessThan(skipped.count, rounds)
    }
}

// Operation forces @unchecked. The tallies are constants.
/// Counts what must not happen.
private final class EndProbe: ConcurrentOperation, @unchecked Sendable {
    private let mains = Tally()
    private let lateMains = Tally()
    private let earlyTellings = Tally()
    private let lateTellings = Tally()

    var hasEntered: Bool { mains.count > 0 }

    override func main() {
        mains.add()
        if isFinished { lateMains.add() }
    }

    override func didCancel() {
        if mains.count == 0 { earlyTellings.add() }
        finish()
        if isFinished { lateTellings.add() }
    }

    /// How often `main()` began after the end, `didCancel()` before it, and the end came during
    /// that.
    var faults: [Int] { [lateMains, earlyTellings, lateTellings].map(\.count) }
}

/// A clock that holds the first thread that asks it for the time.
private final class HeldClock: Clock {
    let asked = Gate()
    let goOn = Gate()
    private let base = ContinuousClock()
    private let questions = Tally()

    var now: ContinuousClock.Instant {
        questions.add()
        if questions.count == 1 {
            asked.open()
            goOn.wait()
        }
        return base.now
    }

    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
