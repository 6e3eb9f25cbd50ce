import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O6: dependencies, including those in which JobKit differs from Foundation.
final class OperationDependencyTests: XCTestCase {
    private static let queues: [OperationRunner] = [.operationQueue, .taskQueue]

    func testDependenciesAreListedInOrderAlsoAfterTheFinish() {
        let operation = ConcurrentOperation()
        let others = [
            ConcurrentOperation(), BlockOperation {}, HeldOperation(stopsWhenCancelled: false),
        ]
        for other in others + others { operation.addDependency(other) }
        XCTAssertEqual(operation.dependencies, others)
        for other in others { other.start() }
        (others[2] as? HeldOperation)?.finish()
        XCTAssertTrue(operation.isReady)
        operation.start()
        XCTAssertEqual(operation.dependencies, others)
    }

    func testOperationIsReadyWhenTheLastDependencyHasFinished() {
        let operation = ConcurrentOperation()
        let others = [ConcurrentOperation(), BlockOperation {}, BlockOperation {}]
        for other in others {
            operation.addDependency(other)
            XCTAssertFalse(operation.isReady)
        }
        for other in others {
            XCTAssertFalse(operation.isReady)
            other.start()
        }
        XCTAssertTrue(operation.isReady)
    }

    func testFinishedDependencyIsNotWaitedFor() {
        for other in [ConcurrentOperation(), BlockOperation {}] {
            other.start()
            let operation = ConcurrentOperation()
            operation.addDependency(other)
            XCTAssertTrue(operation.isReady)
            XCTAssertEqual(operation.dependencies, [other])
        }
    }

    func testRemovedDependencyIsNotWaitedFor() async {
        for runner in Self.queues {
            for other in [HeldOperation(stopsWhenCancelled: false), BlockOperation {}] {
                let operation = ConcurrentOperation()
                operation.addDependency(other)
                runner.run(operation)
                XCTAssertFalse(operation.isReady)
                operation.removeDependency(other)
                operation.removeDependency(other)
                XCTAssertEqual(operation.dependencies, [])
                await bounded { await operation.waitForFinish() }
            }
        }
    }

    func testDependencyRemovedAndAddedAgainIsWaitedFor() {
        for other in [ConcurrentOperation(), BlockOperation {}] {
            let operation = ConcurrentOperation()
            for _ in 0..<3 {
                operation.addDependency(other)
                XCTAssertFalse(operation.isReady)
                operation.removeDependency(other)
                XCTAssertTrue(operation.isReady)
            }
            operation.addDependency(other)
            other.start()
            XCTAssertTrue(operation.isReady)
        }
    }

    // A cancelled dependency that has finished does not delay its dependents.
    func testCancelledDependencyCountsAsFinished() async {
        for runner in Self.queues {
            let (first, second) = (HeldOperation(stopsWhenCancelled: false), ConcurrentOperation())
            second.addDependency(first)
            first.cancel()
            runner.run(second, first)
            await bounded { await second.waitForFinish() }
            XCTAssertEqual(second.outcome?.text, "succeeded")
        }
    }

    func testDependencyAddedWhileWaitingInASuspendedQueueIsHonoured() async {
        for isTaskQueue in [true, false] {
            let (taskQueue, operationQueue) = (TaskQueue(), OperationQueue())
            taskQueue.isSuspended = true
            operationQueue.isSuspended = true
            let (operation, late) = (
                HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false)
            )
            let probe = HeldOperation(stopsWhenCancelled: false)
            for other in [operation, probe] {
                let queue: any OperationScheduling = isTaskQueue ? taskQueue : operationQueue
                queue.addOperation(other)
            }
            operation.addDependency(late)
            late.start()
            taskQueue.isSuspended = false
            operationQueue.isSuspended = false
            await probe.began.waitUntilOpen()
            XCTAssertEqual(operation.mains.count, 0)
            late.finish()
            await operation.began.waitUntilOpen()
            operation.finish()
            probe.finish()
            for operation in [operation, probe] {
                await bounded { await operation.waitForFinish() }
            }
        }
    }

    func testDependencyAddedWhileWaitingForAnotherIsHonoured() async {
        for runner in Self.queues {
            let (first, second, last) = (
                HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false),
                HeldOperation(stopsWhenCancelled: false)
            )
            last.addDependency(first)
            runner.run(last)
            last.addDependency(second)
            first.start()
            second.start()
            first.finish()
            XCTAssertFalse(last.isReady)
            XCTAssertEqual(last.mains.count, 0)
            second.finish()
            await last.began.waitUntilOpen()
            last.finish()
        }
    }

    // In either direction, across queues of either kind and plain operations.
    func testMixedChainAcrossQueuesRunsInOrder() async {
        let log = EventLog()
        let queues: [any OperationScheduling] = [TaskQueue(), OperationQueue(), TaskQueue()]
        var chain: [Operation] = []
        for number in 0..<30 {
            let operation: Operation =
                number % 2 == 0
                ? BlockOperation { log.record("\(number)") }
                : ScriptedOperation { operation in
                    log.record("\(number)")
                    DispatchQueue.global().async { operation.finish() }
                }
            if let last = chain.last { operation.addDependency(last) }
            chain.append(operation)
        }
        for (number, operation) in chain.enumerated().shuffled() {
            queues[number % 3].addOperation(operation)
        }
        await bounded { [last = chain[29]] in await last.waitForFinish() }
        XCTAssertEqual(log.events, (0..<30).map(String.init))
    }

    // Foundation caches `isReady`. A completion at that moment must not be lost.
    func testDependencyThatFinishesDuringTheReadinessCheckIsNoticed() async {
        let dependency = HeldOperation(stopsWhenCancelled: false)
        dependency.start()
        let operation = AskedOperation { dependency.finish() }
        operation.addDependency(dependency)
        OperationQueue().addOperation(operation)
        await bounded { await operation.waitForFinish() }
    }
}

// Operation forces @unchecked. The properties are constants.
/// Calls a closure after the first read of `isReady`.
private final class AskedOperation: ConcurrentOperation, @unchecked Sendable {
    private let questions = Tally()
    private let onFirstQuestion: @Sendable () -> Void

    init(_ onFirstQuestion: @escaping @Sendable () -> Void) {
        self.onFirstQuestion = onFirstQuestion
    }

    override var isReady: Bool {
        let answer = super.isReady
        questions.add()
        if questions.count == 1 { onFirstQuestion() }
        return answer
    }
}
