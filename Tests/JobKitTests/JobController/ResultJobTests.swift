import Foundation
import JobKit
import JobKitTesting
import XCTest

// J9, O3
final class ResultJobTests: XCTestCase {
    private final class Answer: ResultJob<Int>, @unchecked Sendable {
        let log = EventLog()
        let script: (Answer) -> Void

        init(_ script: @escaping (Answer) -> Void) {
            self.script = script
            super.init()
        }

        override func main() { script(self) }
        override func allTasksFinished() { log.record("all") }
    }

    func testValueOfAJobThatFinishedInACallback() async throws {
        let rest = HeldOperation("rest")
        let job = Answer { job in
            job.trackAndQueue(rest)
            job.trackAndQueue(InstantOperation("a")) { _ in
                job.finish(returning: 42)
                job.finish(returning: 43)
            }
        }
        XCTAssertNil(job.result.map { "\($0)" })
        job.startJob()
        let value = try await job.value
        XCTAssertEqual(value, 42)
        XCTAssertEqual(try job.result?.get(), 42)
        XCTAssertEqual(job.log.events, [])
    }

    func testJobWithoutAValueFailsWithNoResult() async {
        for script: (Answer) -> Void in [{ _ in }, { $0.finish() }] {
            let job = Answer(script)
            await assertThrows(job, MissingResultError.self)
            XCTAssertTrue(job.error is MissingResultError)
        }
    }

    func testVoidJobNeedsNoValue() async throws {
        let job = ResultJob<Void>()
        job.startJob()
        try await job.value
        guard case .succeeded = job.outcome else { return XCTFail("not succeeded") }
    }

    func testCancelledJobThrowsCancellationErrorDespiteALaterFinish() async {
        let job = Answer { job in
            job.cancel()
            job.finish(returning: 1)
        }
        await assertThrows(job, CancellationError.self)
        let early = Answer { $0.finish(returning: 1) }
        early.cancel()
        await assertThrows(early, CancellationError.self)
    }

    func testValueThatCameBeforeTheFailureCounts() async throws {
        let job = Answer { job in
            job.finish(returning: 1)
            job.finish(with: SampleError("late"))
            job.cancel()
        }
        job.startJob()
        let value = try await job.value
        XCTAssertEqual(value, 1)
    }

    func testFailedJobThrowsItsError() async {
        let job = Answer { job in
            job.trackAndQueue(InstantOperation("bad", failure: SampleError("bad")))
        }
        await assertThrows(job, SampleError.self)
    }

    func testFinishBeforeTheStartIsKept() async throws {
        // O2
        let job = Answer { _ in XCTFail("main() was entered") }
        job.finish(returning: 7)
        job.startJob()
        let value = try await job.value
        XCTAssertEqual(value, 7)
    }

    func testValueOfAJobCancelledBeforeTheStartDoesNotHang() async {
        let job = Answer { _ in XCTFail("main() was entered") }
        job.cancel()
        do {
            _ = try await job.value
            XCTFail("a value")
        } catch { XCTAssertTrue(error is CancellationError) }
    }

    private func assertThrows<Failure: Error>(
        _ job: Answer,
        _ type: Failure.Type,
        line: UInt = #line
    ) async {
        job.startJob()
        do {
            let value = try await job.value
            XCTFail("\(value)", line: line)
        } catch {
            XCTAssertTrue(error is Failure, "\(error)", line: line)
        }
    }
}
