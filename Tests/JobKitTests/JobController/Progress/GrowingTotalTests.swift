import Foundation
import JobKit
import JobKitTesting
import XCTest

// R3
/// A total that still grows does not count as a total.
final class GrowingTotalTests: XCTestCase {
    /// One photo has finished before `main()` has tracked the second one.
    func testNestedJobThatEndsWhileMainTracksCountsAfterMain() async {
        let (isThrough, release) = (Gate(), Gate())
        let queue = TaskQueue(name: "album")
        let photos = (0..<100)
            .map { number in
                let photo = ScriptedJob("photo \(number)", queue: queue)
                photo.script = { $0.trackAndQueue(InstantOperation("pixels")) }
                return photo
            }
        photos[0].onAll = { _ in isThrough.open() }
        let held = HeldOperation("held")
        for photo in photos.dropFirst() { photo.script = { $0.track(held) } }
        let job = ScriptedJob("album", queue: queue) { job in
            for photo in photos {
                job.trackAndQueue(photo)
                if photo === photos[0] { release.wait() }
            }
        }
        let progress = job.progress
        job.startJob(on: TaskQueue(name: "job"))
        await isThrough.waitUntilOpen()
        await eventually { photos[0].isFinished }
        XCTAssertEqual(progress.fractionCompleted, 0)
        XCTAssertEqual(job.snapshot().fractionCompleted, 0)
        release.open()
        await eventually { progress.fractionCompleted > 0 }
        XCTAssertEqual(progress.fractionCompleted, 0.01)
        job.cancel()
        await bounded { await job.waitForFinish() }
    }

    func testReportCountsWhenTheCallbackThatTrackedTheTaskHasReturned() async {
        let (said, release) = (Gate(), Gate())
        let tasks = (0..<9).map { HeldOperation("\($0)") }
        let old = HeldOperation("old")
        let job = ScriptedJob("job") { job in
            job.track(old)
            job.trackAndQueue(InstantOperation("first"))
        }
        job.onTask = { job, task in
            guard task.name == "first" else { return }
            job.track(tasks[0])
            tasks[0].reportProgress(1)
            said.open()
            release.wait()
            for task in tasks.dropFirst() { job.track(task, weight: 2) }
        }
        let progress = job.progress
        job.startJob()
        await said.waitUntilOpen()
        XCTAssertEqual(progress.fractionCompleted, 0)
        // Tasks that were tracked before the callback count at once: 0.5 of 3.
        old.reportProgress(0.5)
        XCTAssertEqual(progress.fractionCompleted, 0.5 / 3, accuracy: 1e-12)
        XCTAssertEqual(job.snapshot().fractionCompleted, progress.fractionCompleted)
        release.open()
        // The first one, the whole of the second and half of the old one, of 19.
        await eventually { job.trackedTasks.count == 10 }
        tasks[1].reportProgress(1)
        await eventually { progress.fractionCompleted > 0.2 }
        XCTAssertEqual(progress.fractionCompleted, 4.5 / 19, accuracy: 1e-12)
        job.cancel()
    }

    func testSnapshotFractionNeverDecreases() async {
        let job = ScriptedJob("job") { $0.trackAndQueue(InstantOperation("first")) }
        let (isAsked, release) = (Gate(), Gate())
        let held = HeldOperation("held")
        job.script = { job in
            job.trackAndQueue(InstantOperation("first"))
            job.trackAndQueue(held)
        }
        job.onTask = { job, _ in
            for _ in 0..<8 { job.track(HeldOperation("late")) }
        }
        job.onGroup = { _, _ in
            isAsked.open()
            release.wait()
        }
        job.startJob()
        await isAsked.waitUntilOpen()
        XCTAssertEqual(job.snapshot().fractionCompleted, 0.1)
        held.reportProgress(1)
        XCTAssertEqual(job.snapshot().fractionCompleted, 0.2)
        XCTAssertEqual(job.progress.fractionCompleted, 0.2)
        for _ in 0..<10 { job.track(HeldOperation("later")) }
        XCTAssertEqual(job.snapshot().fractionCompleted, 0.2)
        release.open()
        job.cancel()
    }
}
