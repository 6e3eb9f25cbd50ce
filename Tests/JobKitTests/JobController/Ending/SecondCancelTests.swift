import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Holds the thread that tracks a task of some name.
private final class HoldingObserver: JobObserver {
    let isTracking = Gate()
    let mayGoOn = Gate()
    private let name: String

    init(_ name: String) { self.name = name }

    func job(_ job: JobController, didRecord event: JobEvent) {
        guard event.kind == .tracked, event.name == name else { return }
        isTracking.open()
        mayGoOn.wait()
    }
}

// J8
final class SecondCancelTests: XCTestCase {
    func testTaskThatAnotherThreadIsJustTrackingIsToldToo() async {
        let (open, late) = (HeldOperation("open", stopsWhenCancelled: false), HeldOperation("late"))
        let observer = HoldingObserver("late")
        let job = ScriptedJob { $0.track(open) }
        job.addObserver(observer)
        open.start()
        late.start()
        job.start()
        job.cancel()
        Thread.detachNewThread { job.track(late) }
        await wait(for: observer.isTracking)
        XCTAssertTrue(job.trackedTasks.contains(late))
        job.cancel()
        XCTAssertTrue(late.isCancelled)
        observer.mayGoOn.open()
        open.finish()
        await waitForFinish(of: job)
        XCTAssertEqual(job.events, ["cancelled"])
    }

    func testEveryTrackedTaskIsToldWhenAnyOfManyCancelsReturns() async {
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
            await waitForFinish(of: job)
        }
    }
}
