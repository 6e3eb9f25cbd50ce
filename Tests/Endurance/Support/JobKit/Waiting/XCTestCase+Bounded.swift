import JobKit
import XCTest

/// Waits for an expectation from the main actor, for at most five minutes.
///
/// In older toolchains, `XCTestCase.fulfillment(of:)` is `async` without an actor, so a test on the
/// main actor cannot send itself there.
func waitForFulfillment(of expectation: XCTestExpectation) async {
    let result = await XCTWaiter.fulfillment(of: [expectation], timeout: 300)
    XCTAssertEqual(result, .completed)
}

extension XCTestCase {
    /// Runs `body` in its own task, and fails if it has not returned in five minutes.
    ///
    /// A call that hangs fails its test, and the other tests still run.
    func bounded(line: Int = #line, _ body: @escaping @Sendable () async -> Void) async {
        let returned = expectation(description: "returned, line \(line)")
        Task {
            await body()
            returned.fulfill()
        }
        await fulfillment(of: [returned], timeout: 300)
    }

    /// Waits, with a bound, for an operation that was cancelled before its start.
    ///
    /// `waitForFinish()` returns at once in that case, because such an operation may never be
    /// started. Therefore, this method uses an operation that depends on it.
    func waitForFinish(ofCancelled operation: Operation, line: Int = #line) async {
        let dependent = BlockOperation {}
        dependent.addDependency(operation)
        TaskQueue().addOperation(dependent)
        await bounded(line: line) { await dependent.waitForFinish() }
    }
}
