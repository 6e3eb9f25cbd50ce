import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// R4
/// Tests `explainStall` for a job with stuck code.
final class StuckCallbackTests: XCTestCase {
    private let queue = StepQueue()

    private func firstLine(_ job: JobController, after seconds: UInt32 = 0) -> String {
        let now = CoarseTime(rawValue: CoarseTime.now.rawValue &+ seconds * 8)
        return String(job.explainStall(at: now).prefix { $0 != "\n" })
    }

    /// Runs a job that stops at the point given by `enter`, and explains it there.
    private func line(
        failing: Bool = false,
        stoppingAt enter: (ScriptedJob, @escaping @Sendable () -> Void) -> Void
    ) async -> String {
        let (entered, release) = (Gate(), Gate())
        let job = ScriptedJob("import", queue: TaskQueue(name: "stuck"))
        let failure = failing ? SampleError("offline") : nil
        job.script = {
            $0.trackAndQueue(InstantOperation("a.jpg", failure: failure), group: .named("photos"))
        }
        enter(job) {
            entered.open()
            release.wait()
        }
        job.startJob(on: TaskQueue(name: "job"))
        await entered.waitUntilOpen()
        let line = firstLine(job, after: 20)
        release.open()
        await bounded { await job.waitForFinish() }
        return line
    }

    /// Checks a line that contains 20 s, or slightly more if the test itself took some time.
    private func assert(
        _ line: String,
        is expected: String,
        file: StaticString = #filePath,
        lineNumber: UInt = #line
    ) {
        XCTAssertTrue(line.contains(" for "), line, file: file, line: lineNumber)
        XCTAssertEqual(
            line.withoutTimes,
            expected.withoutTimes,
            file: file,
            line: lineNumber
        )
    }

    func testStuckMainIsReported() async {
        let line = await line { job, stop in
            job.script = { _ in stop() }
        }
        assert(line, is: "import: executing, in main() for 20 s")
    }

    func testStuckCallbackOfATaskNamesTheTask() async {
        let line = await line { job, stop in
            job.onTask = { _, _ in stop() }
        }
        assert(line, is: "import: executing, in a callback of a.jpg for 20 s")
    }

    func testStuckQuestionAboutAFailureNamesTheTask() async {
        let line = await line(failing: true) { job, stop in
            job.onFailure = { _, _ in
                stop()
                return .carryOn
            }
        }
        assert(line, is: "import: executing, in taskFailed(_:error:) of a.jpg for 20 s")
    }

    func testStuckCallbackOfAGroupNamesTheGroup() async {
        let line = await line { job, stop in
            job.onGroup = { _, _ in stop() }
        }
        assert(line, is: "import: executing, in the callback of group photos for 20 s")
    }

    func testStuckEndIsReported() async {
        let line = await line { job, stop in
            job.onAll = { _ in stop() }
        }
        assert(line, is: "import: executing, in allTasksFinished() for 20 s")
    }

    func testStuckCancellationIsReported() async {
        let line = await line { job, stop in
            job.onTask = { job, _ in job.cancel() }
            job.onCancelled = { _ in stop() }
        }
        assert(line, is: "import: executing, cancelled, in jobCancelled() for 20 s")
    }

    func testStuckDelayedCallbackIsReported() async {
        let line = await line { job, stop in
            job.script = { job in
                let held = HeldOperation("a.jpg")
                job.track(held)
                held.start()
                job.perform(after: .zero) {
                    stop()
                    held.finish()
                }
            }
        }
        assert(line, is: "import: executing, in a callback of perform(after:) for 20 s")
    }

    func testFinishedTasksThatWaitForAStuckCallbackAreCounted() async {
        let (entered, release) = (Gate(), Gate())
        let tasks = (0..<4).map { HeldOperation("\($0)") }
        let job = ScriptedJob("import", queue: queue) { job in
            for task in tasks {
                job.track(task)
                task.start()
            }
        }
        job.onTask = { _, task in
            guard task === tasks[0] else { return }
            entered.open()
            release.wait()
        }
        job.startJob()
        await wait(for: tasks[3].began)
        tasks[0].finish()
        await entered.waitUntilOpen()
        XCTAssertEqual(
            job.explainStall().withoutTimes.split(separator: "\n").map(String.init),
            [
                "import: executing, in a callback of 0", "1: executing", "2: executing",
                "3: executing",
            ]
        )
        tasks[1].finish()
        XCTAssertEqual(
            firstLine(job).withoutTimes,
            "import: executing, in a callback of 0; 1 finished task waits"
        )
        tasks[2].finish()
        assert(
            firstLine(job, after: 20),
            is: "import: executing, in a callback of 0 for 20 s; 2 finished tasks wait"
        )
        release.open()
        tasks[3].finish()
        await bounded { await job.waitForFinish() }
    }

    func testCallbackOfANestedJobIsNamed() async {
        let (entered, release) = (Gate(), Gate())
        let album = ScriptedJob("album") { $0.trackAndQueue(InstantOperation("a.jpg")) }
        album.onTask = { _, _ in
            entered.open()
            release.wait()
        }
        let job = ScriptedJob("import") { $0.trackAndQueue(album) }
        job.startJob()
        await entered.waitUntilOpen()
        XCTAssertTrue(
            job.explainStall().withoutTimes
                .hasSuffix("\nalbum: executing, in a callback of a.jpg")
        )
        release.open()
        await bounded { await job.waitForFinish() }
    }

    func testSuspendedJobCountsTheTasksThatWaitForIt() async {
        let task = HeldOperation("a.jpg")
        let job = ScriptedJob("import") { job in
            job.track(task)
            task.start()
        }
        job.isSuspended = true
        job.start()
        task.finish()
        XCTAssertEqual(
            firstLine(job),
            "import: executing, suspended; 1 finished task waits until it is resumed"
        )
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
    }

    func testCallbackQueueThatDoesNotComeIsNamed() async {
        let callbackQueue = DispatchQueue(label: "screen")
        callbackQueue.suspend()
        let task = HeldOperation("a.jpg")
        let job = ScriptedJob("import", callbackQueue: callbackQueue) { job in
            job.track(task)
            task.start()
        }
        job.start()
        assert(
            firstLine(job, after: 20),
            is: "import: executing, its main() waits for screen for 20 s"
        )
        callbackQueue.resume()
        await wait(for: task.began)
        // After main() and its delivery.
        await withCheckedContinuation { done in callbackQueue.async { done.resume() } }
        XCTAssertEqual(firstLine(job), "import: executing")
        callbackQueue.suspend()
        task.finish()
        assert(
            firstLine(job, after: 20),
            is: "import: executing, its callbacks wait for screen for 20 s; 1 finished task waits"
        )
        callbackQueue.resume()
        await bounded { await job.waitForFinish() }
    }

    func testStuckCallbackHoldsNoLockThatTheExplanationNeeds() async {
        let (entered, release) = (Gate(), Gate())
        let job = ScriptedJob("import") { job in
            job.track(HeldOperation("other"), cancellation: .cancelWithoutWaiting)
            job.trackAndQueue(InstantOperation("a.jpg"))
        }
        job.onTask = { job, _ in
            entered.open()
            // Like a callback that waits for a thread which reads the job's state.
            DispatchQueue.global().sync { release.wait() }
        }
        job.startJob()
        await entered.waitUntilOpen()
        XCTAssertEqual(
            job.explainStall().withoutTimes,
            "import: executing, in a callback of a.jpg\nother: never queued"
        )
        XCTAssertEqual(job.snapshot().unfinished.map(\.name), ["other"])
        release.open()
        job.cancel()
        await bounded { await job.waitForFinish() }
    }
}
