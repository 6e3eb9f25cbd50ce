import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// R4
/// Tests `explainStall` for tasks and jobs that do not stop, or did not report that they had.
final class StallWordsTests: XCTestCase {
    private func lines(_ job: JobController) -> [String] {
        job.explainStall().withoutTimes.split(separator: "\n").map(String.init)
    }

    func testEqualReasonsShareALine() {
        let job = ScriptedJob("import") { job in
            job.setMaxConcurrentOperationCount(2, for: .named("photos"))
            for number in 0..<240 {
                let photo = HeldOperation("\(number)")
                job.trackAndQueue(photo, on: IdleQueue(), group: .named("photos"))
            }
            for name in ["a", "b", "c"] { job.track(HeldOperation(name)) }
        }
        job.start()
        XCTAssertEqual(
            lines(job),
            [
                "import: executing", "0: in IdleQueue, not started", "1: in IdleQueue, not started",
                "2: never queued, because only 2 of group photos may run at a time; "
                    + "and 237 more like it: 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 227 more",
                "a: never queued", "b: never queued", "c: never queued",
            ]
        )
        job.cancel()
    }

    func testTasksOfDifferentJobsShareNoLine() {
        let inner = ScriptedJob("inner") { job in
            for number in 0..<10 { job.track(HeldOperation("\(number)")) }
        }
        let job = ScriptedJob("outer") { job in
            job.track(inner)
            for name in ["a", "b", "c"] { job.track(HeldOperation(name)) }
        }
        job.start()
        inner.start()
        XCTAssertEqual(
            lines(job),
            [
                "outer: executing", "inner: executing",
                "0: never queued; and 9 more like it: 1, 2, 3, 4, 5, 6, 7, 8, 9", "a: never queued",
                "b: never queued", "c: never queued",
            ]
        )
        job.cancel()
    }

    func testTimeoutIsNotCalledACancellation() async {
        let clock = ManualClock()
        let task = HeldOperation("upload", stopsWhenCancelled: false)
        task.clock = clock
        task.maximumRuntime = .milliseconds(500)
        let job = ScriptedJob("import") { $0.track(task) }
        job.start()
        task.start()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await wait(for: task.told)
        XCTAssertEqual(
            lines(job).last,
            "upload: executing, timed out after 0.5 s"
        )
        task.finish()
        await bounded { await job.waitForFinish() }
    }

    func testCancelledTaskShowsSinceWhenAndWhetherDidCancelDoesNothing() async throws {
        final class Deaf: ConcurrentOperation, @unchecked Sendable {
            override func main() {}
        }
        let tasks: [(operation: ConcurrentOperation, ignores: Bool)] = [
            (Deaf(), true), (HeldOperation(stopsWhenCancelled: false), false),
            (CallbackOperation<Void> { _ = Unmanaged.passRetained($0 as AnyObject) }, false),
        ]
        for (task, ignores) in tasks {
            task.name = "upload"
            let job = ScriptedJob("import") { $0.track(task) }
            job.start()
            task.start()
            task.cancel()
            let line = ignores ? ", didCancel() does nothing" : ""
            XCTAssertEqual(lines(job).last, "upload: executing, cancelled\(line)")
            let later = CoarseTime(rawValue: CoarseTime.now.rawValue &+ 12 * 8)
            let words = job.explainStall(at: later)
            let time = try XCTUnwrap(
                words.firstMatch(of: /executing for 1[12] s, cancelled 1[12] s ago/)
            )
            XCTAssertEqual(words[time.range.upperBound...], line[...])
            task.finish()
            await bounded { await job.waitForFinish() }
        }
    }

    func testCancelledPlainOperationThatExecutesNamesTheWayOut() async {
        let (began, release) = (Gate(), Gate())
        let task = BlockOperation {
            began.open()
            release.wait()
        }
        task.name = "legacy"
        let job = ScriptedJob("import") { $0.trackAndQueue(task) }
        job.start()
        await wait(for: began)
        task.cancel()
        XCTAssertEqual(
            lines(job).last,
            "legacy: executing, cancelled; its main() must check isCancelled to stop early"
        )
        release.open()
        await bounded { await job.waitForFinish() }
    }

    func testCancelledOperationInASuspendedQueueNamesTheWayOut() async {
        final class Legacy: Operation, @unchecked Sendable {
            override func main() {}
        }
        let (tasks, operations) = (TaskQueue(name: "net"), OperationQueue())
        operations.name = "net"
        tasks.isSuspended = true
        operations.isSuspended = true
        let cases: [(any OperationScheduling, Operation)] = [
            (tasks, Legacy()), (operations, Legacy()), (operations, BlockOperation {}),
            (operations, ClosureOperation {}),
        ]
        for (queue, task) in cases {
            task.name = "legacy"
            let job = ScriptedJob("import") { $0.trackAndQueue(task, on: queue) }
            job.start()
            task.cancel()
            XCTAssertEqual(
                lines(job).last,
                "legacy: suspended: net, cancelled; its queue must start it before it can finish"
            )
            tasks.isSuspended = false
            operations.isSuspended = false
            await bounded { await job.waitForFinish() }
            tasks.isSuspended = true
            operations.isSuspended = true
        }
        tasks.isSuspended = false
        operations.isSuspended = false
    }

    func testEventThatNobodyFinishesNamesTheWayOut() async {
        let (queue, event) = (StepQueue(), EventOperation<Void>(name: "login"))
        let job = ScriptedJob("import") { $0.trackAndQueue(event, on: queue) }
        job.start()
        queue.runNext()
        XCTAssertEqual(lines(job).last, "login: executing (until other code calls finish)")
        event.finish()
        await bounded { await job.waitForFinish() }
    }

    func testClassThatSendsNoNotificationIsNamed() {
        final class Forgetful: Operation, @unchecked Sendable {
            nonisolated(unsafe) var isOver = false
            override var isFinished: Bool { isOver }
        }
        let task = Forgetful()
        task.name = "legacy"
        let job = ScriptedJob("import") { $0.track(task) }
        job.start()
        task.isOver = true
        XCTAssertEqual(
            lines(job),
            ["import: executing", "legacy: isFinished is true, but no KVO notification was sent"]
        )
        XCTAssertEqual(job.snapshot().unfinished.map(\.name), ["legacy"])
        job.cancel()
    }

    func testMainThatIsStillRunningAfterFinishIsNamed() async {
        for call in ["finish()", "finish(with:)"] {
            let (called, release) = (Gate(), Gate())
            let job = ScriptedJob("import") { job in
                if call == "finish()" { job.finish() } else { job.finish(with: SampleError("end")) }
                called.open()
                release.wait()
            }
            job.startJob(on: TaskQueue(name: "job"))
            await called.waitUntilOpen()
            XCTAssertEqual(
                lines(job),
                ["import: executing, main() is still running after \(call)"]
            )
            let later = CoarseTime(rawValue: CoarseTime.now.rawValue &+ 160)
            let words = job.explainStall(at: later)
            XCTAssertNotNil(
                words.wholeMatch(
                    of:
                        /import: executing, main\(\) is still running (19|2\d) s after finish.*/
                ),
                words
            )
            release.open()
            await bounded { await job.waitForFinish() }
        }
    }

    func testDefaultLimitIsAHundredLines() {
        let job = ScriptedJob("import") { job in
            for number in 0..<150 {
                let task = HeldOperation("\(number)")
                let other = HeldOperation("other \(number)")
                task.addDependency(other)
                job.track(task)
            }
        }
        job.start()
        XCTAssertEqual(lines(job).count, 102)
        XCTAssertEqual(lines(job).last, "… and 50 more")
        XCTAssertEqual(job.explainStall(limit: .max).split(separator: "\n").count, 151)
        job.cancel()
    }

    /// The list is read again if it begins with plain operations that have finished.
    func testFinishedTasksInFrontArePassedOver() {
        let tasks = (0..<2_000).map { $0 < 1_000 ? BlockOperation {} : InstantOperation("done") }
        let job = ScriptedJob("import") { job in
            for task in tasks { job.track(task) }
            job.track(HeldOperation("rest"))
        }
        job.start()
        job.isSuspended = true
        for task in tasks { task.start() }
        XCTAssertEqual(
            lines(job),
            [
                "import: executing, suspended; 2000 finished tasks wait until it is resumed",
                "rest: never queued",
            ]
        )
        XCTAssertEqual(job.snapshot(limit: 1).unfinished.map(\.name), ["rest"])
        job.cancel()
    }
}
