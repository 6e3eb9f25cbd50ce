import Foundation
import XCTest

@testable import JobKit

/// O6, Q3: long chains and wide fan-ins run and are released.
final class OperationDependencyScaleTests: XCTestCase {
    private let length = 100_000

    private func chain() -> [ConcurrentOperation] {
        let operations = (0..<length).map { _ in ConcurrentOperation() }
        for (earlier, later) in zip(operations, operations.dropFirst()) {
            later.addDependency(earlier)
        }
        return operations
    }

    func testLongChainBuiltFirstFirstIsFreedWithoutRecursion() {
        weak var first: ConcurrentOperation?
        var last: ConcurrentOperation? = ConcurrentOperation()
        first = last
        for _ in 1..<length {
            let next = ConcurrentOperation()
            if let last { next.addDependency(last) }
            last = next
        }
        XCTAssertNotNil(first)
        last = nil
        XCTAssertNil(first)
    }

    func testLongChainBuiltLastFirstIsFreedWithoutRecursion() {
        weak var first: ConcurrentOperation?
        var last: ConcurrentOperation? = ConcurrentOperation()
        var current = last
        for _ in 1..<length {
            let earlier = ConcurrentOperation()
            current?.addDependency(earlier)
            current = earlier
        }
        first = current
        current = nil
        XCTAssertNotNil(first)
        XCTAssertNotNil(last)
        last = nil
        XCTAssertNil(first)
    }

    func testLongChainRunsInWhateverOrderItIsAdded() async {
        for order in 0..<3 {
            var operations = chain()
            let last = operations[length - 1]
            weak var first: ConcurrentOperation?
            first = operations[0]
            var random = SeededGenerator(seed: 7)
            if order == 1 { operations.reverse() }
            if order == 2 { operations.shuffle(using: &random) }
            let queue = TaskQueue()
            for operation in operations { queue.addOperation(operation) }
            await bounded { await last.waitForFinish() }
            XCTAssertTrue(operations.allSatisfy(\.isFinished))
            XCTAssertNotNil(first)
        }
    }

    func testLongChainThatIsCancelledFinishes() async {
        let operations = chain()
        let queue = TaskQueue()
        queue.isSuspended = true
        for operation in operations { queue.addOperation(operation) }
        queue.cancelAllOperations()
        queue.isSuspended = false
        await waitForFinish(ofCancelled: operations[length - 1])
        await waitForFinish(ofCancelled: operations[0])
        XCTAssertEqual(operations[length - 1].outcome?.text, "cancelled")
    }

    func testWideFanInRunsAndIsFreed() async {
        weak var released: ConcurrentOperation?
        await {
            let last = ConcurrentOperation()
            released = last
            let operations = (0..<200_000).map { _ in ConcurrentOperation() }
            for operation in operations { last.addDependency(operation) }
            XCTAssertEqual(last.dependencies.count, 200_000)
            let queue = TaskQueue()
            queue.addOperation(last)
            for operation in operations { queue.addOperation(operation) }
            await bounded { await last.waitForFinish() }
            XCTAssertTrue(operations.allSatisfy(\.isFinished))
        }()
        await eventually { released == nil }
    }

    func testWideFanOutIsReleasedByOneFinish() async {
        let first = HeldOperation(stopsWhenCancelled: false)
        let operations = (0..<200_000).map { _ in ConcurrentOperation() }
        let last = ConcurrentOperation()
        for operation in operations {
            operation.addDependency(first)
            last.addDependency(operation)
        }
        let queue = TaskQueue()
        for operation in operations + [last] { queue.addOperation(operation) }
        first.start()
        first.finish()
        await bounded { await last.waitForFinish() }
    }

    // Each edge is removed separately, from both ends. Quadratic costs would take minutes.
    func testWideFanInAndFanOutAreTakenBackEdgeByEdge() {
        for isPlain in [false, true] {
            let count = isPlain ? 20_000 : 200_000
            let last = ConcurrentOperation()
            let others = (0..<count)
                .map { _ in isPlain ? BlockOperation {} : ConcurrentOperation() }
            for other in others { last.addDependency(other) }
            for other in others[..<(count / 2)] { last.removeDependency(other) }
            for other in others[(count / 2)...].reversed() { last.removeDependency(other) }
            XCTAssertTrue(last.isReady)
        }
        let first = ConcurrentOperation()
        let others = (0..<200_000).map { _ in ConcurrentOperation() }
        for other in others { other.addDependency(first) }
        for other in others[..<100_000] { other.removeDependency(first) }
        for other in others[100_000...].reversed() { other.removeDependency(first) }
        XCTAssertTrue(others.allSatisfy(\.isReady))
    }

    // The owners of both ends of a chain release it on two threads at once.
    func testChainsReleasedOnManyThreadsLeaveNothing() async {
        await forEachSeed(1...100) { random in
            let released = Tally()
            let count = Int.random(in: 1...200, using: &random)
            let operations = Guarded<[ConcurrentOperation]>(
                (0..<count).map { _ in CountedOperation(released) }
            )
            operations.withLock { all in
                for (earlier, later) in zip(all, all.dropFirst()) { later.addDependency(earlier) }
            }
            await runOnThreads(3) { _ in
                while let operation = operations.withLock({ $0.popLast() }) {
                    withExtendedLifetime(operation) {}
                }
            }
            XCTAssertEqual(released.count, count)
        }
    }
}

// Operation forces @unchecked. The tally is a constant.
private final class CountedOperation: ConcurrentOperation, @unchecked Sendable {
    private let released: Tally

    init(_ released: Tally) { self.released = released }

    deinit { released.add() }
}
