import Foundation
import JobKit
import JobKitTesting
import XCTest

final class ClosureOperationTests: XCTestCase {
    func testValueIsTheClosures() async throws {
        for runner in OperationRunner.allCases {
            let operation = ClosureOperation(name: "answer") { 6 * 7 }
            runner.run(operation)
            let value = try await operation.value
            XCTAssertEqual(value, 42)
            XCTAssertEqual(operation.name, "answer")
            XCTAssertEqual(operation.outcome?.text, "succeeded")
        }
    }

    func testThrownErrorIsTheOperations() async {
        let operation = ClosureOperation<Int> { throw SampleError(number: 3) }
        TaskQueue.shared.addOperation(operation)
        await expectThrow(SampleError.self) { try await operation.value }
        XCTAssertEqual(operation.error as? SampleError, SampleError(number: 3))
    }

    // O3
    func testThrownCancellationErrorIsACancel() {
        let operation = ClosureOperation<Int> { throw CancellationError() }
        operation.start()
        XCTAssertTrue(operation.isCancelled)
        XCTAssertEqual(operation.outcome?.text, "cancelled")
    }

    func testClosureWithoutAValueSucceeds() throws {
        let log = EventLog()
        let operation = ClosureOperation { log.record("done") }
        operation.start()
        try operation.result?.get()
        XCTAssertEqual(log.events, ["done"])
        XCTAssertEqual(operation.outcome?.text, "succeeded")
    }

    // O5: the closure cannot be stopped, so the operation executes until it has returned.
    func testCancelledOperationFinishesWhenItsClosureHasReturned() async {
        let (began, goOn) = (Gate(), Gate())
        let operation = ClosureOperation {
            began.open()
            goOn.wait()
            return 1
        }
        TaskQueue.shared.addOperation(operation)
        await wait(for: began)
        operation.cancel()
        XCTAssertTrue(operation.isExecuting)
        goOn.open()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        await expectThrow(CancellationError.self) { try await operation.value }
    }

    // O4
    func testCancelledBeforeItsStartNeverRunsAndReleasesItsClosure() {
        let released = Gate()
        let operation = {
            let token = ReleaseToken { released.open() }
            return ClosureOperation { withExtendedLifetime(token) { XCTFail("run") } }
        }()
        operation.cancel()
        XCTAssertFalse(released.isOpen)
        operation.start()
        XCTAssertTrue(released.isOpen)
        XCTAssertTrue(operation.isFinished)
    }

    func testClosureIsReleasedWhenItHasReturned() {
        let released = Gate()
        let operation = {
            let token = ReleaseToken { released.open() }
            return ClosureOperation { withExtendedLifetime(token) { 1 } }
        }()
        operation.start()
        XCTAssertTrue(released.isOpen)
        XCTAssertEqual(try operation.result?.get(), 1)
    }

    // J7: this is a task like any other.
    func testJobReceivesTheError() async {
        let job = ScriptedJob {
            $0.trackAndQueue(ClosureOperation<Void>(name: "parse") { throw SampleError() })
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["failed parse"])
        XCTAssertNotNil(job.error as? SampleError)
    }
}
