import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Finished operations retain nothing and are not retained.
final class OperationRetentionTests: XCTestCase {
    func testFinishedOperationIsReleased() async {
        for runner in OperationRunner.allCases {
            weak var released: HeldOperation?
            do {
                let operation = HeldOperation(stopsWhenCancelled: false)
                released = operation
                runner.run(operation)
                await operation.began.waitUntilOpen()
                operation.finish()
                await bounded { await operation.waitForFinish() }
            }
            await eventually { released == nil }
        }
    }

    func testCancelledOperationIsReleased() async {
        for runner in OperationRunner.allCases {
            weak var released: HeldOperation?
            do {
                let operation = HeldOperation(stopsWhenCancelled: false)
                operation.cancel()
                released = operation
                runner.run(operation)
                await waitForFinish(ofCancelled: operation)
            }
            await eventually { released == nil }
        }
    }

    func testNeverStartedOperationsAreReleased() {
        weak var plain: ConcurrentOperation?
        weak var timed: ConcurrentOperation?
        weak var cancelled: ConcurrentOperation?
        weak var finished: ConcurrentOperation?
        do {
            let operations = (0..<4).map { _ in ConcurrentOperation() }
            (plain, timed) = (operations[0], operations[1])
            (cancelled, finished) = (operations[2], operations[3])
            operations[1].clock = ManualClock()
            operations[1].maximumRuntime = .seconds(1)
            operations[2].cancel()
            operations[3].finish()
        }
        XCTAssertNil(plain)
        XCTAssertNil(timed)
        XCTAssertNil(cancelled)
        XCTAssertNil(finished)
    }

    // Dependencies do not retain their dependents.
    func testDependentThatIsReleasedFirstLeavesNothingBehind() {
        for dependency in [ConcurrentOperation(), BlockOperation {}] {
            weak var released: ConcurrentOperation?
            do {
                let dependent = ConcurrentOperation()
                dependent.addDependency(dependency)
                released = dependent
            }
            XCTAssertNil(released)
            dependency.start()
            XCTAssertTrue(dependency.isFinished)
        }
    }

    // A dependent is released while its plain dependency finishes.
    func testDependentReleasedWhileTheDependencyFinishes() async {
        await forEachSeed(1...1500) { random in
            let dependency = random.chance(70) ? BlockOperation {} : ConcurrentOperation()
            let box = Guarded<ConcurrentOperation?>(ConcurrentOperation())
            box.withLock { $0?.addDependency(dependency) }
            await runOnThreads(2) { number in
                if number == 0 { return dependency.start() }
                let last = box.withLock { operation in
                    defer { operation = nil }
                    return operation
                }
                withExtendedLifetime(last) {}
            }
            XCTAssertTrue(dependency.isFinished)
        }
    }

    func testTimedOutOperationIsReleased() async {
        weak var released: HeldOperation?
        do {
            let (operation, clock) = (HeldOperation(), ManualClock())
            released = operation
            operation.clock = clock
            operation.maximumRuntime = .seconds(1)
            operation.start()
            clock.advance(by: .seconds(1))
            await bounded { await operation.waitForFinish() }
        }
        await eventually { released == nil }
    }

    func testDependenciesAreReleasedWithTheirDependent() {
        weak var released: BlockOperation?
        do {
            let dependent = ConcurrentOperation()
            let dependency = BlockOperation {}
            dependent.addDependency(dependency)
            released = dependency
        }
        XCTAssertNil(released)
    }
}
