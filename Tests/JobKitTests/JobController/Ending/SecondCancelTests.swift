import Foundation
import JobKit
import JobKitTesting
import XCTest

// J8
final class SecondCancelTests: XCTestCase {
    func testTaskBeingTrackedOnAnotherThreadIsCancelledToo() async {
        let (open, late) = (HeldOperation("open", stopsWhenCancelled: false), HeldOperation("late"))
        let observer = HoldingObserver(.tracked, of: "late")
        let job = ScriptedJob { $0.track(open) }
        job.addObserver(observer)
        open.start()
        late.start()
        job.start()
        job.cancel()
        Thread.detachNewThread { job.track(late) }
        await wait(for: observer.entered)
        XCTAssertTrue(job.trackedTasks.contains(late))
        job.cancel()
        XCTAssertTrue(late.isCancelled)
        observer.release.open()
        open.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
    }

    func testEveryTrackedTaskIsCancelledWhenAnyOfManyCancelsReturns() async {
        for _ in 0..<200 {
            let tasks = (0..<20).map { HeldOperation("\($0)", stopsWhenCancelled: false) }
            let job = ScriptedJob { job in for task in tasks { job.track(task) } }
            for task in tasks { task.start() }
            job.start()
            await runOnThreads(3) { number in
                if number == 0 { job.track(HeldOperation("late")) }
                let tracked = job.trackedTasks
                job.cancel()
                for task in tracked { XCTAssertTrue(task.isCancelled) }
            }
            for task in tasks { task.finish() }
            await bounded { await job.waitForFinish() }
        }
    }
}
