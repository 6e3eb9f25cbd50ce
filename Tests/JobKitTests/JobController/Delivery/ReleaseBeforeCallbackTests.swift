import Foundation
import JobKit
import JobKitTesting
import XCTest

// Operation forces @unchecked. The properties are constants.
/// Has already finished when it is created, and blocks the thread that releases it.
private final class SlowToGo: ConcurrentOperation, @unchecked Sendable {
    private let isGoing: Gate
    private let mayGo: Gate

    init(_ isGoing: Gate, _ mayGo: Gate) {
        self.isGoing = isGoing
        self.mayGo = mayGo
        super.init()
        start()
    }

    deinit {
        isGoing.open()
        mayGo.wait()
    }
}

// J8: this also applies to the release of a task.
final class ReleaseBeforeCallbackTests: XCTestCase {
    /// The next callback after the release is one of each kind in turn.
    func testCancelWhileADeliveredTaskIsReleasedStartsNoCallback() async {
        let scripts: [(ScriptedJob) -> Void] = [
            { $0.track(InstantOperation.finished("next")) },
            { $0.track(InstantOperation.finished("next")) { _ in } },
            { $0.track(InstantOperation.finished("bad", failure: SampleError("bad"))) },
            { $0.track(HeldOperation("open")) },
            { _ in },
        ]
        for script in scripts {
            let (isGoing, mayGo) = (Gate(), Gate())
            let job = ScriptedJob { job in
                job.track(SlowToGo(isGoing, mayGo)) { _ in job.log.record("first") }
                script(job)
            }
            job.startJob()
            await wait(for: isGoing)
            job.cancel()
            job.log.record("cancel returned")
            mayGo.open()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events, ["first", "cancel returned", "cancelled"])
        }
    }

    func testCancelWhileAClosureIsReleasedStartsNoCallback() async {
        let (isGoing, mayGo) = (Gate(), Gate())
        let job = ScriptedJob { job in
            let token = ReleaseToken {
                isGoing.open()
                mayGo.wait()
            }
            job.track(InstantOperation.finished("first")) { [token] _ in _ = token }
            job.track(InstantOperation.finished("next"))
        }
        job.startJob()
        await wait(for: isGoing)
        job.cancel()
        mayGo.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
    }

    func testSuspensionWhileADeliveredTaskIsReleasedStartsNoCallback() async {
        // J14
        let (isGoing, mayGo) = (Gate(), Gate())
        let callbackQueue = DispatchQueue(label: "callbacks")
        let job = ScriptedJob(callbackQueue: callbackQueue) { job in
            job.track(SlowToGo(isGoing, mayGo)) { _ in }
            job.track(InstantOperation.finished("next"))
        }
        job.startJob()
        await wait(for: isGoing)
        job.isSuspended = true
        mayGo.open()
        let hasGoneOn = expectation(description: "the callback queue has gone on")
        callbackQueue.async { hasGoneOn.fulfill() }
        await fulfillment(of: [hasGoneOn], timeout: 300)
        XCTAssertEqual(job.events, [])
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.first, "group SlowToGo")
    }
}

extension InstantOperation {
    fileprivate static func finished(
        _ name: String,
        failure: SampleError? = nil
    ) -> InstantOperation {
        let operation = InstantOperation(name, failure: failure)
        operation.start()
        return operation
    }
}
