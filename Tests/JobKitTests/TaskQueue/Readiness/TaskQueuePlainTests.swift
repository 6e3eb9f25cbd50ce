import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

/// Operations that are not ``ConcurrentOperation``s.
final class TaskQueuePlainTests: XCTestCase {
    /// Q1: a user's own asynchronous operation keeps its permit until it has finished.
    func testAsynchronousUserOperationKeepsItsPermit() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let log = EventLog()
        for number in 0..<50 {
            queue.addOperation(
                OwnOperation { done in
                    log.record("\(number) begins")
                    DispatchQueue.global()
                        .async {
                            log.record("\(number) ends")
                            done()
                        }
                }
            )
        }
        await drain(queue)
        XCTAssertEqual(log.events, (0..<50).flatMap { ["\($0) begins", "\($0) ends"] })
    }

    /// Q2: a chain of plain operations.
    func testChainOfPlainOperations() async {
        let queue = TaskQueue()
        let log = Guarded<[Int]>([])
        let chain = (0..<200)
            .map { number in BlockOperation { log.withLock { $0.append(number) } } }
        for number in 1..<chain.count { chain[number].addDependency(chain[number - 1]) }
        queue.addOperations(chain.reversed())
        await drain(queue)
        XCTAssertEqual(log.withLock { $0 }, Array(0..<200))
    }

    /// A cancelled plain operation stops waiting, as on an `OperationQueue`.
    func testCancelledPlainOperationNoLongerWaits() async {
        let queue = TaskQueue()
        let operation = BlockOperation { XCTFail("a cancelled operation was run") }
        operation.addDependency(BlockOperation {})
        queue.addOperation(operation)
        operation.cancel()
        await drain(queue)
        XCTAssertTrue(operation.isFinished)
    }

    /// Foundation refers to dependents without retaining them.
    ///
    /// If one is released after a dependency finished, but before Foundation is notified,
    /// Foundation must not use it.
    func testCancelledPlainOperationIsForgottenByOneThatHasFinishedUntold() async {
        let queue = TaskQueue()
        let untold = UntoldOperation()
        var dependents = (0..<100).map { _ in BlockOperation {} }
        for dependent in dependents {
            dependent.addDependency(untold)
            queue.addOperation(dependent)
        }
        untold.finishUntold()
        for dependent in dependents { dependent.cancel() }
        await drain(queue)
        #if !canImport(Darwin)
        XCTAssertTrue(dependents.allSatisfy(\.dependencies.isEmpty))
        #endif
        dependents = []
        untold.tell()
    }

    /// A cancelled job ends, although its plain task waits for an event that never comes.
    func testCancelledJobEndsWithAPlainTaskThatWaits() async {
        let queue = TaskQueue()
        let began = Gate()
        let job = ScriptedJob(queue: queue) { job in
            let task = BlockOperation {}
            task.addDependency(BlockOperation {})
            job.trackAndQueue(task)
            began.open()
        }
        queue.addOperation(job)
        await began.waitUntilOpen()
        job.cancel()
        await drain(queue)
        XCTAssertTrue(job.isFinished)
    }

    /// Q2: a user's own `isReady`.
    func testOwnIsReadyIsHonoured() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let (picky, log) = (PickyOperation(), EventLog())
        queue.addOperation(picky)
        queue.addOperation { log.record("other") }
        await log.waitForEvent("other")
        XCTAssertFalse(picky.isFinished)
        picky.makeReady()
        await drain(queue)
        XCTAssertTrue(picky.isFinished)
    }

    /// The user's `completionBlock` is called.
    func testCompletionBlockIsCalled() async {
        let queue = TaskQueue()
        let completed = expectation(description: "the completion blocks were called")
        completed.expectedFulfillmentCount = 2
        let (first, second) = (BlockOperation {}, BlockOperation {})
        second.addDependency(first)
        first.completionBlock = { completed.fulfill() }
        second.completionBlock = { completed.fulfill() }
        queue.addOperations([second, first])
        await fulfillment(of: [completed], timeout: 300)
    }

    /// Q2: as on an `OperationQueue`, the priority at the time of resumption counts.
    func testPriorityChangedInASuspendedQueueCounts() async {
        let (queue, log) = (TaskQueue(maxConcurrentOperationCount: 1), EventLog())
        queue.isSuspended = true
        let operations = (0..<4).map { number in BlockOperation { log.record("\(number)") } }
        queue.addOperations(operations)
        operations[3].queuePriority = .veryHigh
        operations[0].queuePriority = .veryLow
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(log.events, ["3", "1", "2", "0"])
    }

    /// Q2: an operation starts after the others if its priority was lowered while it waited.
    func testLoweredPriorityCountsAtTheNextStart() async {
        let (queue, log) = (TaskQueue(maxConcurrentOperationCount: 1), EventLog())
        let (began, release) = (Gate(), Gate())
        queue.addOperation {
            began.open()
            release.wait()
        }
        await began.waitUntilOpen()
        let operations = (0..<3).map { number in BlockOperation { log.record("\(number)") } }
        queue.addOperations(operations)
        operations[0].queuePriority = .low
        release.open()
        await drain(queue)
        XCTAssertEqual(log.events, ["1", "2", "0"])
    }

    /// Q2: the priority at the time when the dependencies have finished counts.
    func testPriorityChangedWhileWaitingForADependencyCounts() async {
        let (queue, log) = (TaskQueue(maxConcurrentOperationCount: 1), EventLog())
        queue.isSuspended = true
        let first = BlockOperation { log.record("first") }
        let dependent = BlockOperation { log.record("dependent") }
        dependent.addDependency(first)
        queue.addOperations([first, dependent, BlockOperation { log.record("stranger") }])
        first.queuePriority = .high
        dependent.queuePriority = .high
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(log.events, ["first", "dependent", "stranger"])
    }

    /// Plain operations that many threads add to queues are neither lost nor run twice.
    func testPlainOperationsFromManyThreads() async {
        let queues = [TaskQueue(maxConcurrentOperationCount: 1), TaskQueue()]
        let count = Guarded(0)
        await runOnThreads(4) { thread in
            for number in 0..<300 {
                let first = BlockOperation { count.withLock { $0 += 1 } }
                let second = BlockOperation { count.withLock { $0 += 1 } }
                if number % 3 == 0 { second.addDependency(first) }
                queues[(thread + number) % 2].addOperation(second)
                queues[number % 2].addOperation(first)
            }
        }
        for queue in queues { await drain(queue) }
        XCTAssertEqual(count.withLock { $0 }, 2_400)
    }
}

/// Asynchronous work as a user writes it without JobKit.
final class OwnOperation: Operation, @unchecked Sendable {
    private enum State { case pending, executing, finished }

    private let state = Guarded(State.pending)
    private let work: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(_ work: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.work = work
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0 } == .executing }
    override var isFinished: Bool { state.withLock { $0 } == .finished }

    override func start() {
        change(to: .executing, "isExecuting")
        work { [self] in change(to: .finished, "isFinished") }
    }

    private func change(to new: State, _ key: String) {
        willChangeValue(forKey: key)
        state.withLock { $0 = new }
        didChangeValue(forKey: key)
    }
}

// Operation forces @unchecked. The state is an atomic.
/// An operation that has finished some time before Foundation is notified.
private final class UntoldOperation: Operation, @unchecked Sendable {
    private let hasFinished = Atomic(false)

    override var isFinished: Bool { hasFinished.load(ordering: .acquiring) }

    func finishUntold() {
        #if canImport(Darwin)
        willChangeValue(forKey: "isFinished")
        #endif
        hasFinished.store(true, ordering: .releasing)
    }

    func tell() { didChangeValue(forKey: "isFinished") }
}
