import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class WorkerThreadTests: XCTestCase {
    func testThreadThatWorksUsesProcessorTimeAndDoesNotWait() async {
        let activity = Guarded<WorkerActivity?>(nil)
        let release = Guarded(false)
        let (began, ended) = (Gate(), Gate())
        Thread.detachNewThread {
            activity.withLock { $0 = WorkerActivity(at: 0) }
            began.open()
            while !release.withLock({ $0 }) {}
            ended.open()
        }
        await began.waitUntilOpen()
        let thread = activity.withLock { $0 }?.thread
        let before = thread?.processorTime ?? 0
        while (thread?.processorTime ?? .max) < before + 5_000_000 { await Task.yield() }
        XCTAssertEqual(thread?.isWaiting, false)
        release.withLock { $0 = true }
        await ended.waitUntilOpen()
    }

    func testThreadInsideAGateWaits() async {
        let activity = Guarded<WorkerActivity?>(nil)
        let (release, ended) = (Gate(), Gate())
        Thread.detachNewThread {
            Thread.current.name = "a) R (b"
            activity.withLock { $0 = WorkerActivity(at: 0) }
            release.wait()
            ended.open()
        }
        var thread: WorkerThread?
        while thread?.isWaiting != true {
            thread = activity.withLock { $0 }?.thread
            await Task.yield()
        }
        XCTAssertNotEqual(thread, WorkerThread.current)
        release.open()
        await ended.waitUntilOpen()
    }
}
