import Foundation
import JobKit
import JobKitTesting
import XCTest

// J8: of failing, finishing early and being cancelled, the first decides.
final class FirstEndingTests: XCTestCase {
    private enum End: CaseIterable {
        case finish
        case fail
        case cancel

        func apply(to job: JobController) {
            switch self {
            case .finish: job.finish()
            case .fail: job.finish(with: SampleError("end"))
            case .cancel: job.cancel()
            }
        }
    }

    private func check(_ job: JobController, _ end: End, line: UInt = #line) {
        switch (end, job.outcome) {
        case (.finish, .succeeded), (.fail, .failed), (.cancel, .cancelled): break
        default: XCTFail("\(end): \(job.outcome as Any)", line: line)
        }
    }

    func testFirstEndInACallbackDecides() async {
        for first in End.allCases {
            for second in End.allCases {
                let job = ScriptedJob { $0.trackAndQueue(InstantOperation("a")) }
                job.onTask = { job, _ in
                    first.apply(to: job)
                    second.apply(to: job)
                }
                job.startJob()
                await bounded { await job.waitForFinish() }
                check(job, first)
                XCTAssertEqual(job.events, first == .cancel ? ["task a", "cancelled"] : ["task a"])
            }
        }
    }

    func testFirstEndBeforeTheStartDecides() async {
        // O2, O4
        for first in End.allCases {
            for second in End.allCases {
                let job = ScriptedJob { $0.log.record("main") }
                first.apply(to: job)
                second.apply(to: job)
                XCTAssertFalse(job.isFinished)
                job.startJob()
                await waitForFinish(ofCancelled: job)
                check(job, first)
                XCTAssertEqual(job.events, [])
            }
        }
    }

    func testEndsFromManyThreadsEndTheJobOnce() async {
        for _ in 0..<100 {
            let held = HeldOperation("held")
            let job = ScriptedJob { $0.trackAndQueue(held) }
            job.startJob()
            await wait(for: held.began)
            await runOnThreads(3) { End.allCases[$0].apply(to: job) }
            await bounded { await job.waitForFinish() }
            let expected: [String]
            if case .cancelled = job.outcome { expected = ["cancelled"] } else { expected = [] }
            XCTAssertEqual(job.events, expected)
        }
    }

    func testCancelThatRacesTheCompletionCancelsOrIsIgnored() async {
        for _ in 0..<300 {
            let job = ScriptedJob { $0.trackAndQueue(InstantOperation("a")) }
            job.onTask = { job, _ in Thread.detachNewThread { job.cancel() } }
            job.startJob()
            await bounded { await job.waitForFinish() }
            switch job.outcome {
            case .succeeded: XCTAssertEqual(job.events.last, "all")
            case .cancelled: XCTAssertEqual(job.events.last, "cancelled")
            default: XCTFail("\(job.outcome as Any)")
            }
        }
    }
}
