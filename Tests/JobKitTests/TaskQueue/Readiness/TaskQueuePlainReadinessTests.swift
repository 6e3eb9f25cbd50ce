import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// Checks that plain operations receive notifications, so that the queue need not poll.
final class TaskQueuePlainReadinessTests: XCTestCase {
    /// Returns a queue that waits for a poll which never comes.
    private func queueWithoutPolls(concurrencyLimit: Int = 2) -> TaskQueue {
        let queue = TaskQueue(maxConcurrentOperationCount: concurrencyLimit)
        let poll = queue.shell.changePolls {
            $0.entryAdded(TaskQueueTicket(sequence: -1, slot: 0), isSoon: false)
        }
        XCTAssertNotNil(poll)
        return queue
    }

    /// Q3: a chain in any order, of plain and other operations.
    func testChainInAnyOrderNeedsNoPolls() async {
        var generator = WalkGenerator(seed: 5)
        for order in ["in order", "last first", "shuffled"] {
            for isMixed in [false, true] {
                let queue = queueWithoutPolls()
                let log = EventLog()
                var chain = (0..<300)
                    .map { number -> Operation in
                        guard isMixed, number % 3 == 1 else {
                            return BlockOperation { log.record("\(number)") }
                        }
                        return ScriptedOperation { operation in
                            log.record("\(number)")
                            if number % 2 == 0 { return operation.finish() }
                            DispatchQueue.global().async { operation.finish() }
                        }
                    }
                for number in 1..<chain.count { chain[number].addDependency(chain[number - 1]) }
                if order == "last first" { chain.reverse() }
                if order == "shuffled" { chain.shuffle(using: &generator) }
                for operation in chain { queue.addOperation(operation) }
                await drain(queue)
                XCTAssertEqual(log.events, (0..<300).map { "\($0)" }, order)
            }
        }
    }

    /// Q3: one operation depends on many, and many depend on one.
    func testFanInAndFanOutNeedNoPolls() async {
        let queue = queueWithoutPolls()
        let log = EventLog()
        let first = BlockOperation { log.record("first") }
        let middle = (0..<500).map { _ in BlockOperation {} }
        let last = BlockOperation { log.record("last") }
        for operation in middle {
            operation.addDependency(first)
            last.addDependency(operation)
        }
        queue.addOperations([last] + middle)
        queue.addOperation(first)
        await drain(queue)
        XCTAssertEqual(log.events, ["first", "last"])
    }

    /// Q3, Q7: an operation that its queue cancels ends, although its dependency never does.
    func testCancelThroughTheQueueNeedsNoPolls() async {
        let queue = queueWithoutPolls()
        let never = BlockOperation {}
        let waiting = (0..<100).map { _ in BlockOperation { XCTFail("was run") } }
        for operation in waiting { operation.addDependency(never) }
        queue.addOperations(waiting)
        queue.cancelAllOperations()
        await drain(queue)
        XCTAssertTrue(waiting.allSatisfy(\.isFinished))
    }

    /// Q3, J8: the same for an operation of a cancelled job.
    func testCancelThroughTheJobNeedsNoPolls() async {
        let queue = queueWithoutPolls()
        let began = Gate()
        let never = BlockOperation {}
        let job = ScriptedJob(queue: queue) { job in
            let task = BlockOperation { XCTFail("was run") }
            task.addDependency(never)
            job.trackAndQueue(task)
            began.open()
        }
        queue.addOperation(job)
        await began.waitUntilOpen()
        job.cancel()
        await drain(queue)
        XCTAssertTrue(job.isFinished)
    }

    /// Q2: a dependency is added while the operation waits for its turn or for another dependency.
    func testDependencyAddedWhileWaitingNeedsNoPolls() async {
        let queue = queueWithoutPolls(concurrencyLimit: 1)
        let log = EventLog()
        queue.isSuspended = true
        let ready = BlockOperation { log.record("ready") }
        let waiting = BlockOperation { log.record("waiting") }
        let (first, second) = (ScriptedOperation { $0.finish() }, BlockOperation {})
        waiting.addDependency(first)
        queue.addOperations([ready, waiting, first])
        let late = BlockOperation { log.record("late") }
        ready.addDependency(late)
        waiting.addDependency(second)
        queue.addOperations([second, late])
        queue.isSuspended = false
        await drain(queue)
        XCTAssertEqual(Set(log.events), ["late", "ready", "waiting"])
        XCTAssertLessThan(
            log.events.firstIndex(of: "late") ?? 9,
            log.events.firstIndex(of: "ready") ?? 0
        )
    }

    /// Cases that need a poll: a user's own `isReady`, and a cancellation without a notification.
    func testPollFindsReadinessWithoutNotification() async {
        let queue = TaskQueue()
        let picky = (0..<20).map { _ in PickyOperation() }
        let waiting = (0..<20).map { _ in BlockOperation { XCTFail("was run") } }
        let never = BlockOperation {}
        for operation in waiting { operation.addDependency(never) }
        queue.addOperations(picky + waiting)
        for operation in picky { operation.makeReady() }
        for operation in waiting { operation.cancel() }
        await drain(queue)
        XCTAssertTrue((picky + waiting).allSatisfy(\.isFinished))
    }
}
