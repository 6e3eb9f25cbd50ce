import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O3: results and values.
final class ResultOperationTests: XCTestCase {
    func testValueIsThatOfTheFirstFinish() async throws {
        for runner in OperationRunner.allCases {
            let operation = HeldResultOperation<String>()
            XCTAssertNil(operation.result)
            runner.run(operation)
            operation.finish(returning: "first")
            operation.finish(returning: "second")
            operation.finish(with: SampleError())
            let value = try await operation.value
            XCTAssertEqual(value, "first")
            XCTAssertEqual(try operation.result?.get(), "first")
            XCTAssertEqual(operation.outcome?.text, "succeeded")
        }
    }

    // O3
    func testFinishWithoutAValueFailsWithNoResult() async {
        let operation = ResultOperation<Int>()
        operation.start()
        XCTAssertTrue(operation.error is MissingResultError)
        await expectThrow(MissingResultError.self) { try await operation.value }
    }

    // O3
    func testFinishOfAVoidOperationNeedsNoValue() async throws {
        let operation = ResultOperation<Void>()
        operation.start()
        try await operation.value
        XCTAssertEqual(operation.outcome?.text, "succeeded")
    }

    // O3: nil can be a value.
    func testNilMayBeTheValue() async throws {
        let operation = HeldResultOperation<Int?>()
        operation.start()
        operation.finish(returning: nil)
        let value = try await operation.value
        XCTAssertNil(value)
        let empty = ResultOperation<Int?>()
        empty.start()
        await expectThrow(MissingResultError.self) { try await empty.value }
    }

    func testFailureIsThrown() async {
        let operation = HeldResultOperation<Int>()
        operation.start()
        operation.finish(with: SampleError())
        await expectThrow(SampleError.self) { try await operation.value }
    }

    // O3: cancelled before it finished, by any `finish` method.
    func testCancelledOperationThrowsCancellationErrorDespiteItsValue() async {
        let operation = ScriptedValue()
        operation.start()
        operation.cancel()
        operation.finish(returning: 7)
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        XCTAssertNil(operation.error)
        XCTAssertThrowsError(try operation.result?.get()) { XCTAssertTrue($0 is CancellationError) }
        await expectThrow(CancellationError.self) { try await operation.value }
    }

    // O3
    func testFinishWithCancellationErrorGivesCancellationError() async {
        let operation = HeldResultOperation<Int>()
        operation.start()
        operation.finish(with: CancellationError())
        XCTAssertNil(operation.error)
        await expectThrow(CancellationError.self) { try await operation.value }
    }

    // `value` never hangs after a cancellation before the start, before or after the await.
    func testValueOfAnOperationCancelledBeforeTheStartThrows() async {
        let early = HeldResultOperation<Int>()
        early.cancel()
        await expectThrow(CancellationError.self) { try await early.value }

        let late = HeldResultOperation<Int>()
        let waiter = Task { try await late.value }
        await eventually { late.hasWaiter }
        late.cancel()
        await expectThrow(CancellationError.self) { try await waiter.value }
        XCTAssertFalse(late.isFinished)
        XCTAssertNil(late.result)
    }

    // O2: a value given before the start is returned after the start.
    func testValueGivenBeforeTheStart() async throws {
        let operation = HeldResultOperation<Int>()
        operation.finish(returning: 7)
        XCTAssertNil(operation.result)
        operation.start()
        let value = try await operation.value
        XCTAssertEqual(value, 7)
    }

    // O3: awaiting in a cancelled Swift task keeps waiting and cancels nothing.
    func testAwaitInACancelledTaskKeepsWaiting() async throws {
        let operation = HeldResultOperation<Int>()
        operation.start()
        let waiter = Task { try await operation.value }
        waiter.cancel()
        await eventually { operation.hasWaiter }
        XCTAssertFalse(operation.isCancelled)
        operation.finish(returning: 7)
        let value = try await waiter.value
        XCTAssertEqual(value, 7)
    }

    // `value` never hangs, and all waiting tasks receive the same result.
    func testWaitersThatRaceStartFinishAndCancelAllReturn() async {
        await forEachSeed(1...1500) { random in
            let operation = HeldResultOperation<String>()
            let isCancelled = random.chance(50)
            async let waiting = withTaskGroup(of: String.self) { group in
                for _ in 0..<4 { group.addTask { (try? await operation.value) ?? "error" } }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            await runOnThreads(3) { number in
                switch number {
                case 0: operation.start()
                case 1: operation.finish(returning: "value of some length, on the heap")
                default: if isCancelled { operation.cancel() }
                }
                _ = operation.result
            }
            let heard = await waiting
            XCTAssertEqual(heard.count, 1, "\(heard)")
            XCTAssertTrue(operation.isFinished)
        }
    }
}

// Operation forces @unchecked. The class has no stored properties.
/// Executes until the test finishes it, even if it is cancelled.
private final class ScriptedValue: ResultOperation<Int>, @unchecked Sendable {
    override func main() {}
    override func didCancel() {}
}
