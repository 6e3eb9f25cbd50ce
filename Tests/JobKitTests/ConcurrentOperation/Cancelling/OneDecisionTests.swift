import Foundation
import JobKit
import JobKitTesting
import XCTest

/// J8, Q7: a cancellation is one decision, however slow user code in it is.
final class OneDecisionTests: XCTestCase {
    /// Operations of which `next` becomes ready while the `cancel()` of `slow` does not return.
    private struct Chain {
        let blocker = HeldOperation("blocker", stopsWhenCancelled: false)
        let slow = SlowToCancel("slow")
        let first = HeldOperation("first")
        let mains = Tally()
        let next: Operation

        init(isPlain: Bool) {
            let mains = mains
            next = isPlain ? BlockOperation { mains.add() } : ClosureOperation { mains.add() }
            for operation in [slow, first] { operation.addDependency(blocker) }
            next.addDependency(first)
        }

        var operations: [Operation] { [blocker, slow, first, next] }

        /// Lets the chain continue while a thread is in the `cancel()` of ``slow``.
        func continueDuringCancel(_ test: XCTestCase) async {
            await test.wait(for: slow.isCancelling)
            blocker.finish()
            await test.bounded { await first.waitForFinish() }
            slow.mayReturn.open()
        }

        func expectNothingRan() {
            XCTAssertEqual(first.mains.count, 0)
            XCTAssertEqual(mains.count, 0)
        }
    }

    func testQueueStartsNothingThatWaitedWhenItWasCancelled() async {
        for isPlain in [false, true] {
            let chain = Chain(isPlain: isPlain)
            let queue = TaskQueue(maxConcurrentOperationCount: 2)
            queue.addOperations(chain.operations)
            await wait(for: chain.blocker.began)
            Thread.detachNewThread { queue.cancelAllOperations() }
            await chain.continueDuringCancel(self)
            await bounded { await queue.waitForAllOperations() }
            chain.expectNothingRan()
            XCTAssertTrue(chain.next.isCancelled)
        }
    }

    func testJobStartsNothingThatWaitedWhenItsEndWasDecided() async {
        let ends: [(String, @Sendable (ScriptedJob, HeldOperation) -> Void)] = [
            ("cancel", { job, _ in job.cancel() }),
            ("finish", { job, _ in job.finish() }),
            ("finish(with:)", { job, _ in job.finish(with: SampleError()) }),
            ("failure", { _, task in task.finish(with: SampleError()) }),
        ]
        for (name, end) in ends {
            for isPlain in [false, true] {
                let chain = Chain(isPlain: isPlain)
                let last = HeldOperation("last", stopsWhenCancelled: false)
                let job = ScriptedJob { job in
                    for task in chain.operations + [last] { job.trackAndQueue(task) }
                }
                job.startJob()
                await wait(for: chain.blocker.began)
                await wait(for: last.began)
                Thread.detachNewThread { end(job, last) }
                await chain.continueDuringCancel(self)
                last.finish()
                await bounded { await job.waitForFinish() }
                chain.expectNothingRan()
                XCTAssertTrue(chain.next.isCancelled, name)
            }
        }
    }

    func testTimedOutJobStartsNothingThatWaited() async {
        let (chain, clock) = (Chain(isPlain: false), ManualClock())
        let tracked = Gate()
        let job = ScriptedJob { job in
            for task in chain.operations { job.trackAndQueue(task) }
            tracked.open()
        }
        (job.clock, job.maximumRuntime) = (clock, .seconds(5))
        job.startJob()
        await wait(for: chain.blocker.began)
        // A job that has timed out cancels `slow` in `trackAndQueue`, and tracks nothing more.
        await wait(for: tracked)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await chain.continueDuringCancel(self)
        await bounded { await job.waitForFinish() }
        chain.expectNothingRan()
    }

    /// J8: `slow` is in the job, and an operation that waits for it is in a nested job.
    func testNestedJobStartsNothingThatWaited() async {
        let chain = Chain(isPlain: false)
        let tracked = Gate()
        let inner = ScriptedJob("inner") { job in
            for task in [chain.first, chain.next] { job.trackAndQueue(task) }
            tracked.open()
        }
        let outer = ScriptedJob("outer") { job in
            for task in [chain.blocker, chain.slow, inner] { job.trackAndQueue(task) }
        }
        outer.startJob()
        await wait(for: chain.blocker.began)
        await wait(for: tracked)
        Thread.detachNewThread { outer.cancel() }
        await chain.continueDuringCancel(self)
        await bounded { await outer.waitForFinish() }
        chain.expectNothingRan()
        XCTAssertEqual(inner.events, ["cancelled"])
        XCTAssertEqual(outer.events, ["cancelled"])
    }

    /// J8: a block in an `OperationQueue` ends while the cancellation waits for a user's clock.
    func testBlockThatAnOperationQueueEndsStartsNothing() async {
        let (clock, mains) = (HeldClock(), Tally())
        let (began, last) = (Gate(), HeldOperation("last"))
        let (foundation, block) = (OperationQueue(), BlockOperation { mains.add() })
        let next = ClosureOperation { mains.add() }
        foundation.isSuspended = true
        next.addDependency(block)
        let inner = ScriptedJob("inner") { job in
            job.trackAndQueue(last)
            began.open()
        }
        (inner.clock, inner.maximumStopTime) = (clock, .seconds(5))
        let outer = ScriptedJob("outer") { job in
            job.trackAndQueue(block, on: foundation)
            for task in [inner, next] { job.trackAndQueue(task) }
        }
        outer.startJob()
        await wait(for: began)
        clock.holdNext()
        Thread.detachNewThread { outer.cancel() }
        await wait(for: clock.wasRead)
        foundation.isSuspended = false
        await bounded { await block.waitForFinish() }
        await bounded { await next.waitForFinish() }
        clock.mayReturn.open()
        await bounded { await outer.waitForFinish() }
        XCTAssertEqual(mains.count, 0)
    }

    /// A user's clock that is slow does not stop the operations of others.
    func testClockOfAStopTimeDelaysNoOtherOperation() async {
        let (clock, began, last) = (HeldClock(), Gate(), HeldOperation("last"))
        let inner = ScriptedJob("inner") { job in
            job.trackAndQueue(last)
            began.open()
        }
        (inner.clock, inner.maximumStopTime) = (clock, .seconds(5))
        let outer = ScriptedJob("outer") { $0.trackAndQueue(inner) }
        outer.startJob()
        await wait(for: began)
        clock.holdNext()
        Thread.detachNewThread { outer.cancel() }
        await wait(for: clock.wasRead)
        let (queue, other) = (TaskQueue(), ClosureOperation {})
        queue.isSuspended = true
        queue.addOperation(other)
        other.cancel()
        await bounded { await other.waitForFinish() }
        clock.mayReturn.open()
        await bounded { await outer.waitForFinish() }
    }

    /// The second operation of each pair waits for the first, and is added later.
    func testPairsThatWaitNeverRun() async {
        for _ in 0..<20 {
            let mains = Tally()
            let blocker = HeldOperation("blocker", stopsWhenCancelled: false)
            let firsts = (0..<200).map { _ in ClosureOperation { mains.add() } }
            let seconds = firsts.map { first in
                let second = ClosureOperation { mains.add() }
                first.addDependency(blocker)
                second.addDependency(first)
                return second
            }
            let queue = TaskQueue(maxConcurrentOperationCount: 2)
            queue.addOperations([blocker] + firsts + seconds)
            await wait(for: blocker.began)
            queue.cancelAllOperations()
            blocker.finish()
            await bounded { await queue.waitForAllOperations() }
            XCTAssertEqual(mains.count, 0)
        }
    }

    /// Schedule fault 2: `cancel()` returns although the cancellation of a nested job is stuck.
    func testCancelReturnsWhenTasksBelowAJobThatIsBeingCancelledAreCancelled() async {
        let mayReturn = Gate()
        let isCancelling = Gate()
        let task = HeldOperation("task")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(task) }
        inner.onDidCancel = { _ in
            isCancelling.open()
            mayReturn.wait()
        }
        let outer = ScriptedJob("outer") { $0.trackAndQueue(inner) }
        outer.startJob()
        await wait(for: task.began)
        Thread.detachNewThread { inner.cancel() }
        await wait(for: isCancelling)
        outer.cancel()
        XCTAssertTrue(task.isCancelled)
        mayReturn.open()
        await bounded { await outer.waitForFinish() }
        XCTAssertEqual(outer.events, ["cancelled"])
    }
}

// Operation forces @unchecked. The gates are constants.
/// Its `cancel()` does not return before a gate is open.
private final class SlowToCancel: ConcurrentOperation, @unchecked Sendable {
    let isCancelling = Gate()
    let mayReturn = Gate()

    init(_ name: String) {
        super.init()
        self.name = name
    }

    override func cancel() {
        isCancelling.open()
        mayReturn.wait()
        super.cancel()
    }
}
