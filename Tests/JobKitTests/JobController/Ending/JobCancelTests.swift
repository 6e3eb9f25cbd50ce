import Foundation
import JobKit
import JobKitTesting
import XCTest

// J8
final class JobCancelTests: XCTestCase {
    func testCancelBeforeTheStartSkipsMain() async {
        let task = HeldOperation("early")
        let job = ScriptedJob { $0.log.record("main") }
        job.track(task)
        job.cancel()
        XCTAssertTrue(task.isCancelled)
        XCTAssertFalse(job.isFinished)
        job.startJob()
        await waitForFinish(ofCancelled: job)
        XCTAssertEqual(job.events, [])
        guard case .cancelled = job.outcome else { return XCTFail("not cancelled") }
    }

    func testCancelInMainWaitsForTheTasksAndCallsBackOnce() async {
        let task = HeldOperation("a", stopsWhenCancelled: false)
        let job = ScriptedJob { job in
            job.trackAndQueue(task)
            task.began.wait()
            job.cancel()
            job.cancel()
            job.log.record(task.told.isOpen ? "told" : "not told")
        }
        job.startJob()
        await job.log.waitForEvent("told")
        XCTAssertFalse(job.isFinished)
        task.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["told", "cancelled"])
    }

    func testSecondCancelReturnsAfterEveryTaskIsCancelled() async {
        let (slow, task, inner) = (SlowToHear(), HeldOperation("b"), HeldOperation("c"))
        let job = ScriptedJob { job in
            job.trackAndQueue(slow)
            job.trackAndQueue(task)
            job.trackAndQueue(ScriptedJob("nested", log: job.log) { $0.trackAndQueue(inner) })
        }
        job.startJob()
        await wait(for: slow.began)
        await wait(for: task.began)
        await wait(for: inner.began)
        Thread.detachNewThread { job.cancel() }
        await wait(for: slow.told)
        job.cancel()
        XCTAssertTrue(task.isCancelled)
        XCTAssertTrue(inner.isCancelled)
        slow.mayStop.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled", "cancelled"])
    }

    func testCancelInEachCallbackStopsTheCallbacks() async {
        for phase in ["task a", "failed bad", "group InstantOperation", "all"] {
            let job = ScriptedJob { job in
                job.trackAndQueue(InstantOperation("a"))
                if phase == "failed bad" {
                    job.trackAndQueue(InstantOperation("bad", failure: SampleError("bad")))
                }
            }
            func cancel(_ job: ScriptedJob) {
                if job.events.last == phase { job.cancel() }
            }
            job.onTask = { job, _ in cancel(job) }
            job.onGroup = { job, _ in cancel(job) }
            job.onAll = { job in cancel(job) }
            job.onFailure = { job, _ in
                cancel(job)
                return .carryOn
            }
            job.startJob()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events.suffix(2), [phase, "cancelled"])
            guard case .cancelled = job.outcome else { return XCTFail("not cancelled") }
        }
    }

    func testCancelDuringACallbackCancelsTheTasksThatItTracks() async {
        let (inside, goOn) = (Gate(), Gate())
        let late = HeldOperation("late")
        let job = ScriptedJob { $0.trackAndQueue(InstantOperation("a")) }
        job.onTask = { job, _ in
            inside.open()
            goOn.wait()
            job.trackAndQueue(late)
            job.log.record(late.isCancelled ? "late is cancelled" : "late is not cancelled")
        }
        job.startJob()
        await wait(for: inside)
        job.cancel()
        goOn.open()
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(late.began.isOpen)
        XCTAssertEqual(job.events, ["task a", "late is cancelled", "cancelled"])
    }

    func testCancelReachesNestedJobsDepthFirstBeforeItReturns() async {
        let order = EventLog()
        final class Leaf: ConcurrentOperation, @unchecked Sendable {
            let began = Gate()
            let order: EventLog
            init(_ name: String, _ order: EventLog) {
                self.order = order
                super.init()
                self.name = name
            }
            override func main() { began.open() }
            override func didCancel() {
                order.record(name ?? "")
                finish()
            }
        }
        let leaves = ["1", "2.1", "2.2.1", "2.3", "3"].map { Leaf($0, order) }
        let inner = ScriptedJob("2.2") { $0.trackAndQueue(leaves[2]) }
        inner.onDidCancel = { _ in order.record("2.2") }
        let middle = ScriptedJob("2") { job in
            job.trackAndQueue(leaves[1])
            job.trackAndQueue(inner)
            job.trackAndQueue(leaves[3])
        }
        middle.onDidCancel = { _ in order.record("2") }
        let outer = ScriptedJob("0") { job in
            job.trackAndQueue(leaves[0])
            job.trackAndQueue(middle)
            job.trackAndQueue(leaves[4])
        }
        outer.onDidCancel = { _ in order.record("0") }
        outer.startJob()
        for leaf in leaves { await wait(for: leaf.began) }
        outer.cancel()
        XCTAssertEqual(order.events, ["0", "1", "2", "2.1", "2.2", "2.2.1", "2.3", "3"])
        for operation in [outer, middle, inner] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(
            outer.events + middle.events + inner.events,
            ["cancelled", "cancelled", "cancelled"]
        )
    }

    func testTaskNeverStartedIsNotWaitedForInASuspendedQueue() async {
        let (suspended, foundation) = (TaskQueue(), OperationQueue())
        suspended.isSuspended = true
        foundation.isSuspended = true
        let nested = ScriptedJob("nested")
        nested.track(HeldOperation("inner"))
        let job = ScriptedJob { job in
            job.trackAndQueue(HeldOperation("a"), on: suspended)
            job.trackAndQueue(nested, on: suspended)
            job.trackAndQueue(HeldOperation("b"), on: foundation)
            job.track(HeldOperation("c"))
            job.track(BlockOperation {})
            job.cancel()
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        suspended.isSuspended = false
        foundation.isSuspended = false
        await bounded { await nested.waitForFinish() }
    }

    func testQueuedPlainOperationIsWaitedFor() async {
        let foundation = OperationQueue()
        foundation.isSuspended = true
        let block = BlockOperation { XCTFail("cancelled before its start") }
        let job = ScriptedJob { job in
            job.trackAndQueue(block, on: foundation)
            job.cancel()
            job.log.record("cancel returned")
        }
        job.startJob()
        await job.log.waitForEvent("cancel returned")
        XCTAssertTrue(block.isCancelled)
        foundation.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(block.isFinished)
    }

    func testExecutingPlainOperationIsWaitedForWhereItWasOnlyTracked() async {
        let task = UserOperation("user", isHeld: true)
        task.start()
        let job = ScriptedJob { job in
            job.track(task)
            job.cancel()
            job.log.record("cancel returned")
        }
        job.startJob()
        await job.log.waitForEvent("cancel returned")
        XCTAssertFalse(job.isFinished)
        task.complete()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancel returned", "cancelled"])
    }

    func testDeferredTasksFinishWhenTheJobIsCancelled() async {
        // Other operations may wait for a task that the job never queued.
        let blocked = BlockOperation {}
        blocked.addDependency(BlockOperation {})
        let tasks = [HeldOperation("a"), HeldOperation("b"), blocked]
        let job = ScriptedJob { job in
            job.isSuspended = true
            for task in tasks { job.trackAndQueue(task) }
            job.cancel()
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        for operation in [tasks[0], tasks[1], tasks[2]] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(job.events, ["cancelled"])
    }

    func testCancelThatRacesTrackingStartsNoTaskTwice() async {
        for round in 0..<rounds(of: 300) {
            let queue: any OperationScheduling =
                round.isMultiple(of: 2) ? TaskQueue() : OperationQueue()
            let held = HeldOperation("held", stopsWhenCancelled: false)
            let job = ScriptedJob(queue: queue) { $0.trackAndQueue(held) }
            job.startJob()
            await wait(for: held.began)
            let (ready, tracked) = (Gate(), Gate())
            Thread.detachNewThread {
                ready.open()
                for _ in 0..<20 { job.trackAndQueue(InstantOperation("late")) }
                tracked.open()
            }
            await wait(for: ready)
            job.cancel()
            await wait(for: tracked)
            held.finish()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events.last, "cancelled")
        }
    }

    func testCancelBetweenStartAndMainOnACallbackQueueSkipsMain() async {
        // O5, J8: neither main() nor didCancel() nor jobCancelled() is called.
        let callbackQueue = DispatchQueue(label: "callbacks")
        callbackQueue.suspend()
        let job = ScriptedJob(callbackQueue: callbackQueue) { $0.log.record("main") }
        job.onDidCancel = { $0.log.record("didCancel") }
        job.start()
        job.cancel()
        callbackQueue.resume()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, [])
        guard case .cancelled = job.outcome else { return XCTFail("not cancelled") }
    }

    func testDidCancelIsNotCalledOfAJobThatNeverEnteredMain() async {
        // O5
        let held = HeldOperation("held", stopsWhenCancelled: false)
        held.start()
        let job = ScriptedJob { $0.log.record("main") }
        job.onDidCancel = { $0.log.record("didCancel") }
        job.track(held)
        job.finish()
        job.start()
        job.cancel()
        held.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, [])
    }

    func testCancelWhileSuspendedCallsJobCancelled() async {
        // J14
        let tracked = Gate()
        let job = ScriptedJob { job in
            job.isSuspended = true
            job.trackAndQueue(HeldOperation("a"))
            tracked.open()
        }
        job.startJob()
        await wait(for: tracked)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        guard case .cancelled = job.outcome else { return XCTFail("not cancelled") }
    }
}

// Operation forces @unchecked. The gates are constants.
/// Blocks the thread that cancels it.
private final class SlowToHear: ConcurrentOperation, @unchecked Sendable {
    let began = Gate()
    let told = Gate()
    let mayStop = Gate()

    override func main() { began.open() }

    override func didCancel() {
        told.open()
        mayStop.wait()
        finish()
    }
}
