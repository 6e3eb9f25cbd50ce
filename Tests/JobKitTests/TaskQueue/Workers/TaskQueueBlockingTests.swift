import Dispatch
import Foundation
import JobKitTesting
import Synchronization
import XCTest

@testable import JobKit

final class TaskQueueBlockingTests: XCTestCase {
    /// Q5: code outside the queue is not affected by 64 blocked operations.
    func testBlockedOperationsDoNotBlockOthers() async {
        let (blocked, release) = (TaskQueue(name: "blocked"), Gate())
        let began = expectation(description: "64 operations block their threads")
        began.expectedFulfillmentCount = 64
        for _ in 0..<64 {
            blocked.addOperation {
                began.fulfill()
                release.wait()
            }
        }
        await fulfillment(of: [began], timeout: 300)

        let elsewhere = expectation(description: "the others run")
        elsewhere.expectedFulfillmentCount = 50 * 3 + 1
        let (other, foundation) = (TaskQueue(name: "other"), OperationQueue())
        for _ in 0..<50 {
            other.addOperation { elsewhere.fulfill() }
            foundation.addOperation { elsewhere.fulfill() }
            Task { elsewhere.fulfill() }
        }
        DispatchQueue.global().async { elsewhere.fulfill() }
        await fulfillment(of: [elsewhere], timeout: 300)
        XCTAssertEqual(blocked.operationCount, 64)
        release.open()
        await drain(blocked)
    }

    /// Q5: 64 blocked Dispatch threads do not stop plain operations that have to wait.
    func testBlockedDispatchThreadsStopNoTaskQueue() async {
        let (queue, release) = (TaskQueue(), Gate())
        let threads = DispatchQueue.global()
        let (began, ended) = (Gate(), expectation(description: "the threads are free again"))
        ended.expectedFulfillmentCount = 200
        for _ in 0..<200 {
            threads.async {
                began.open()
                release.wait()
                ended.fulfill()
            }
        }
        await began.waitUntilOpen()
        let (first, second) = (ScriptedOperation { $0.finish() }, BlockOperation {})
        second.addDependency(first)
        let picky = PickyOperation()
        queue.addOperations([second, picky, first])
        picky.makeReady()
        await drain(queue)
        XCTAssertTrue(second.isFinished)
        release.open()
        await fulfillment(of: [ended], timeout: 300)
    }

    /// Operations of one queue may wait for each other, because a stalled queue gets more threads.
    func testOperationsMayMeet() async {
        for count in [2, 4, 32] {
            let queue = TaskQueue()
            let met = Gate()
            let arrived = Atomic(0)
            for _ in 0..<count {
                queue.addOperation {
                    let number = arrived.add(1, ordering: .sequentiallyConsistent).newValue
                    if number == count { met.open() }
                    met.wait()
                }
            }
            await drain(queue)
            XCTAssertTrue(met.isOpen)
        }
    }

    /// Q5: as many operations block at a time as the limit allows, and no more.
    func testBlockingOperationsUseTheWholeLimit() async {
        for concurrencyLimit in [4, 16, 64] {
            let queue = TaskQueue(maxConcurrentOperationCount: concurrencyLimit)
            let arrived = Atomic(0)
            let rounds = (0..<3).map { _ in Gate() }
            for _ in 0..<3 * concurrencyLimit {
                queue.addOperation {
                    // Each waits until the number of operations has reached the limit.
                    let number = arrived.add(1, ordering: .sequentiallyConsistent).oldValue
                    if number % concurrencyLimit == concurrencyLimit - 1 {
                        rounds[number / concurrencyLimit].open()
                    }
                    rounds[number / concurrencyLimit].wait()
                }
            }
            await drain(queue)
            XCTAssertEqual(arrived.load(ordering: .sequentiallyConsistent), 3 * concurrencyLimit)
        }
    }

    /// Q5: if operations keep their threads busy until another has run, that one gets a thread.
    func testOperationsThatSpinStopNoOther() async {
        let queue = TaskQueue()
        let mayEnd = Atomic(false)
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            queue.addOperation { while !mayEnd.load(ordering: .relaxed) {} }
        }
        queue.addOperation { mayEnd.store(true, ordering: .relaxed) }
        await drain(queue)
    }

    /// An operation may block until an operation that it has added has run, through many levels.
    func testOperationMayWaitForOperationsThatItAdds() async {
        let queue = TaskQueue()
        @Sendable func descend(_ level: Int) {
            guard level > 0 else { return }
            let ended = Gate()
            queue.addOperation {
                descend(level - 1)
                ended.open()
            }
            ended.wait()
        }
        queue.addOperation { descend(20) }
        await drain(queue)
    }
}

// Operation forces @unchecked. The state is guarded by a lock.
/// A plain operation that controls its own readiness and sends no notification.
final class PickyOperation: Operation, @unchecked Sendable {
    private let isAllowed = Guarded(false)

    override var isReady: Bool { super.isReady && isAllowed.withLock { $0 } }

    func makeReady() { isAllowed.withLock { $0 = true } }
}
