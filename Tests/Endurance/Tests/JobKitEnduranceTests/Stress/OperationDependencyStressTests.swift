import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O6: random dependency graphs, added in any order, on many threads.
final class OperationDependencyStressTests: XCTestCase {
    // Every operation runs after all of its dependencies, on any combination of queues.
    func testRandomGraphsAcrossQueuesAndKindsRunInOrder() async {
        await forEachSeed(1...300) { random in
            let queues: [any OperationScheduling] = [
                TaskQueue(maxConcurrentOperationCount: 1), TaskQueue(), OperationQueue(),
            ]
            let finished = (0..<24).map { _ in Tally() }
            let faults = Tally()
            var edges: [[Int]] = []
            var operations: [Operation] = []
            for number in 0..<24 {
                var before: [Int] = []
                for other in 0..<number where random.chance(12) { before.append(other) }
                edges.append(before)
                let needs = before.map { finished[$0] }
                let body: @Sendable () -> Void = {
                    if needs.contains(where: { $0.count == 0 }) { faults.add() }
                    finished[number].add()
                }
                operations.append(Self.operation(random.chance(70), random.chance(50), body))
            }
            let order = Array(0..<24).shuffled(using: &random)
            for number in order {
                for other in edges[number].shuffled(using: &random) {
                    operations[number].addDependency(operations[other])
                }
            }
            for number in order.shuffled(using: &random) {
                // Foundation's queue may miss that a plain operation becomes ready while it is
                // added, because the queue caches `isReady`. Therefore, such operations are added
                // to task queues.
                let isPlain = !(operations[number] is ConcurrentOperation)
                let queue = queues[Int.random(in: 0..<(isPlain ? 2 : 3), using: &random)]
                queue.addOperation(operations[number])
            }
            for operation in operations { await bounded { await operation.waitForFinish() } }
            XCTAssertEqual(faults.count, 0)
            XCTAssertEqual(finished.map(\.count), Array(repeating: 1, count: 24))
        }
    }

    // The last of many dependencies finishes on any thread while the operation is being added.
    func testFinishesThatRaceTheAddingAreAllNoticed() async {
        await forEachSeed(1...1000) { random in
            let last = ConcurrentOperation()
            let dependencies: [Operation] = (0..<4)
                .map { number in
                    number == 3 ? BlockOperation {} : ConcurrentOperation()
                }
            for dependency in dependencies { last.addDependency(dependency) }
            let queue: any OperationScheduling = random.chance(50) ? TaskQueue() : OperationQueue()
            let place = Int.random(in: 0...4, using: &random)
            await runOnThreads(5) { number in
                if number == place { queue.addOperation(last) }
                if number < 4 { dependencies[number].start() }
                if number == 4, place == 5 { queue.addOperation(last) }
            }
            await bounded { await last.waitForFinish() }
            XCTAssertEqual(last.outcome?.text, "succeeded")
        }
    }

    // Dependencies are removed and added, and the operation is cancelled, while others finish.
    func testRemovalsAndAdditionsThatRaceFinishesLoseNothing() async {
        await forEachSeed(1...1000) { random in
            let last = ConcurrentOperation()
            let (kept, removed, added) = (
                HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false),
                HeldOperation(stopsWhenCancelled: false)
            )
            for operation in [kept, removed, added] { operation.start() }
            last.addDependency(kept)
            last.addDependency(removed)
            let queue: any OperationScheduling = random.chance(50) ? TaskQueue() : OperationQueue()
            queue.addOperation(last)
            let isRemovedFinished = random.chance(50)
            await runOnThreads(3) { number in
                switch number {
                case 0: last.removeDependency(removed)
                case 1: if isRemovedFinished { removed.finish() }
                default: last.addDependency(added)
                }
            }
            XCTAssertFalse(last.isReady)
            XCTAssertEqual(last.dependencies, [kept, added])
            await runOnThreads(2) { number in (number == 0 ? kept : added).finish() }
            await bounded { await last.waitForFinish() }
            removed.finish()
        }
    }

    private static func operation(
        _ isConcurrent: Bool,
        _ isAsynchronous: Bool,
        _ body: @escaping @Sendable () -> Void
    ) -> Operation {
        guard isConcurrent else { return BlockOperation(block: body) }
        return ScriptedOperation { operation in
            guard isAsynchronous else {
                body()
                return operation.finish()
            }
            DispatchQueue.global()
                .async {
                    body()
                    operation.finish()
                }
        }
    }
}
