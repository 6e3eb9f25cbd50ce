import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O10: several threads add and remove one edge at the same time.
final class OperationEdgeTests: XCTestCase {
    /// The edge is removed while the adding thread checks whether the plain dependency has
    /// finished.
    ///
    /// No part of the edge may remain, because it would retain the dependency.
    func testEdgeToAPlainOperationRemovedWhileItIsAddedIsThereOrGone() async {
        var released: [Gate] = []
        for question in 1...2 {
            let isReleased = Gate()
            let other = AskedOperation(heldAt: question) { isReleased.open() }
            let operation = ConcurrentOperation()
            let added = expectation(description: "added")
            Thread.detachNewThread {
                operation.addDependency(other)
                added.fulfill()
            }
            await wait(for: other.asked)
            operation.removeDependency(other)
            other.goOn.open()
            await fulfillment(of: [added], timeout: 300)
            XCTAssertEqual(operation.dependencies.isEmpty, operation.isReady, "at \(question)")
            operation.removeDependency(other)
            XCTAssertTrue(operation.isReady)
            released.append(isReleased)
        }
        for isReleased in released { await wait(for: isReleased) }
    }

    func testEdgeAddedAndRemovedAtOnceIsThereOrGone() async {
        await forEachSeed(1...1_000) { random in
            let isPlain = random.chance(50)
            let other: Operation = isPlain ? BlockOperation {} : ConcurrentOperation()
            let finishes = random.chance(30)
            await self.checkEdge(to: other, finishes: finishes)
        }
    }

    private func checkEdge(to other: Operation, finishes: Bool) async {
        let operation = Guarded<ConcurrentOperation?>(ConcurrentOperation())
        await runOnThreads(finishes ? 3 : 2) { number in
            guard let operation = operation.withLock({ $0 }) else { return }
            switch number {
            case 0: for _ in 0..<3 { operation.addDependency(other) }
            case 1: for _ in 0..<3 { operation.removeDependency(other) }
            default: other.start()
            }
        }
        let isThere = operation.withLock { $0?.dependencies.isEmpty == false }
        let isReady = operation.withLock { $0?.isReady == true }
        XCTAssertEqual(isReady, !isThere || other.isFinished)
        // The registration must not outlive the operation that waits.
        operation.withLock { $0 = nil }
        if !other.isFinished { other.start() }
    }

    /// Two synchronized threads repeatedly add and remove the same edge.
    func testEdgeThatTwoThreadsFightForIsThereOrGone() async {
        for other in [ConcurrentOperation(), BlockOperation {}] {
            let operations = (0..<10_000).map { _ in ConcurrentOperation() }
            await runOnThreads(2) { number in
                for operation in operations {
                    if number == 0 {
                        operation.addDependency(other)
                    } else {
                        spin { !operation.dependencies.isEmpty }
                        operation.removeDependency(other)
                    }
                }
            }
            let waiting = operations.filter { !$0.isReady || !$0.dependencies.isEmpty }
            XCTAssertEqual(waiting.count, 0)
        }
    }

    func testEdgesOfFreedOperationsDoNotRetainTheirCounts() {
        let other = HeldOperation(stopsWhenCancelled: false)
        weak var unfinished: WaitGroup?
        for number in 0..<1_000 {
            let operation = ConcurrentOperation()
            operation.addDependency(other)
            if number == 0 {
                unfinished = operation.hooks.withLock { $0.dependencies.value?.unfinished }
            }
        }
        XCTAssertNil(unfinished, "held by an edge that nobody took out")
        other.start()
        other.finish()
    }
}

// Operation forces @unchecked. The properties are constants.
/// A plain operation that blocks the *n*th read of `isFinished`.
private final class AskedOperation: Operation, @unchecked Sendable {
    let asked = Gate()
    let goOn = Gate()
    private let questions = Tally()
    private let held: Int
    private let token: ReleaseToken

    init(heldAt question: Int, whenReleased: @escaping @Sendable () -> Void) {
        held = question
        token = ReleaseToken(whenReleased)
    }

    override var isFinished: Bool {
        questions.add()
        if questions.count == held {
            asked.open()
            goOn.wait()
        }
        return super.isFinished
    }
}
