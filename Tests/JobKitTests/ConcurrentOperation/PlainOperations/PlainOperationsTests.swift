import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class PlainOperationsTests: XCTestCase {
    /// An operation may end while another thread still makes its dependencies notify it.
    func testDependentEndsWhileItsDependencyIsBeingWatched() async {
        let queue = TaskQueue()
        let (asked, release) = (Gate(), Gate())
        let dependency = AskingOperation()
        let dependent = BlockOperation {}
        dependent.addDependency(dependency)
        dependency.whenAsked {
            asked.open()
            release.wait()
        }
        let added = expectation(description: "the operation was added")
        Thread.detachNewThread {
            queue.addOperation(dependent)
            added.fulfill()
        }
        await asked.waitUntilOpen()
        queue.cancelAllOperations()
        await drain(queue)
        XCTAssertTrue(dependent.isFinished)
        release.open()
        await fulfillment(of: [added], timeout: 300)
        dependency.start()
        XCTAssertTrue(dependency.isFinished)
    }

    /// The same without gates: one thread adds, another cancels.
    func testAddingAndCancellingLeavesNothingBehind() async {
        for _ in 0..<rounds(of: 500) {
            let queue = TaskQueue()
            let dependencies = (0..<8).map { _ in BlockOperation {} }
            let dependent = BlockOperation {}
            for dependency in dependencies { dependent.addDependency(dependency) }
            await runOnThreads(2) { thread in
                guard thread == 0 else { return queue.addOperation(dependent) }
                spin { queue.operationCount > 0 || dependent.isFinished }
                queue.cancelAllOperations()
            }
            await drain(queue)
            for dependency in dependencies { dependency.start() }
        }
    }

    /// Foundation drops a cancelled operation, which is released before its dependency ends.
    func testCancelledDependentMayBeFreedBeforeItsDependencyEnds() async {
        let queue = TaskQueue()
        let (held, plain) = (HeldOperation("held"), UserOperation("held", isHeld: true))
        weak var freed: Operation?
        queue.addOperations([held, plain])
        do {
            let dependent = BlockOperation {}
            dependent.addDependency(held)
            dependent.addDependency(plain)
            dependent.cancel()
            await queue.addOperationsAndWait([dependent])
            freed = dependent
        }
        await eventually { freed == nil }
        await held.began.waitUntilOpen()
        await plain.began.waitUntilOpen()
        held.finish()
        plain.complete()
        await drain(queue)
    }

    /// A task that is tracked while its job ends must not be retained by the job.
    func testTaskTrackedWhileItsJobEndsKeepsNothingAlive() async {
        let (asked, release) = (Gate(), Gate())
        let task = AskingOperation()
        weak var freed: JobController?
        do {
            let job = ScriptedJob { job in job.track(HeldOperation("held")) }
            freed = job
            job.startJob()
            task.whenAsked {
                asked.open()
                release.wait()
            }
            let tracked = expectation(description: "the task was tracked")
            Thread.detachNewThread {
                job.track(task)
                tracked.fulfill()
            }
            await asked.waitUntilOpen()
            job.cancel()
            await bounded { await job.waitForFinish() }
            release.open()
            await fulfillment(of: [tracked], timeout: 300)
        }
        await eventually { freed == nil }
        XCTAssertTrue(Array(task.listeners).isEmpty)
        task.start()
    }

    /// J8: JobKit never starts an operation while its `isReady` is false.
    func testHeldTaskThatIsNotReadyIsNotStartedByACancel() async {
        for isSuspended in [true, false] {
            let began = Gate()
            let task = UnreadyOperation()
            let job = ScriptedJob { job in
                job.isSuspended = isSuspended
                job.setMaxConcurrentOperationCount(1, for: .named("narrow"))
                job.trackAndQueue(HeldOperation("held"), group: .named("narrow"))
                job.trackAndQueue(task, group: .named("narrow"))
                began.open()
            }
            job.startJob()
            await began.waitUntilOpen()
            job.cancel()
            await bounded { await job.waitForFinish() }
            XCTAssertFalse(task.isFinished)
            XCTAssertTrue(task.isCancelled)
        }
    }

    /// J5, J6: each of many jobs receives a plain operation once, however it is run.
    func testOnePlainOperationIsDeliveredToManyJobs() async {
        for isQueued in [false, true] {
            let (queue, log) = (TaskQueue(), EventLog())
            let task = BlockOperation {}
            let jobs = (0..<50)
                .map { number in
                    ScriptedJob(queue: queue) { job in
                        job.track(task) { _ in log.record("\(number)") }
                    }
                }
            for job in jobs { job.startJob() }
            if isQueued { queue.addOperation(task) } else { task.start() }
            for job in jobs { await bounded { await job.waitForFinish() } }
            XCTAssertEqual(Set(log.events).count, 50)
            XCTAssertEqual(log.events.count, 50)
        }
    }

    /// R5: a plain operation keeps its number, so that its dependents can name it.
    func testPlainOperationIsOnTheCriticalPath() async {
        for isPlain in [true, false] {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            let recorder = TimelineRecorder()
            let job = ScriptedJob(queue: queue) { job in
                let first = BlockOperation {}
                let second: Operation = isPlain ? BlockOperation {} : InstantOperation("second")
                first.name = "first"
                second.name = "second"
                second.addDependency(first)
                job.trackAndQueue(second)
                job.trackAndQueue(first)
            }
            job.addObserver(recorder)
            job.startJob(on: TaskQueue())
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["first", "second"])
        }
    }

    #if canImport(Glibc)
    /// The C library releases larger blocks under a lock of the thread that allocated them.
    func testEntryOfAPlainOperationFitsInto120Bytes() {
        let known = PlainOperations.Entry(BlockOperation {})
        let size = usableSize(of: Unmanaged.passUnretained(known).toOpaque())
        XCTAssertLessThanOrEqual(size, 120)
        withExtendedLifetime(known) {}
    }
    #endif
}

#if canImport(Glibc)
/// Returns the usable size of a block of memory in bytes.
///
/// Swift's Glibc does not import malloc.h.
@_silgen_name("malloc_usable_size")
private func usableSize(of block: UnsafeMutableRawPointer) -> Int
#endif

// Operation forces @unchecked. The class has no stored properties.
/// Is never ready, not even after cancellation.
final class UnreadyOperation: Operation, @unchecked Sendable {
    override var isReady: Bool { false }
}
