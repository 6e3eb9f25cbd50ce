import JobKit
import XCTest

/// Waits for an expectation from the main actor, and fails where it is not fulfilled in five
/// minutes.
///
/// Where `XCTestCase.fulfillment(of:)` is `async` on no actor, as in older toolchains, a test of
/// the main actor cannot send itself there.
func waitForFulfillment(of expectation: XCTestExpectation) async {
    let result = await XCTWaiter.fulfillment(of: [expectation], timeout: 300)
    XCTAssertEqual(result, .completed)
}

extension XCTestCase {
    /// Runs `body` in a task of its own, and fails where it has not returned in five minutes.
    ///
    /// A call that hangs fails its test, and the run goes on.
    func bounded(line: Int = #line, _ body: @escaping @Sendable () async -> Void) async {
        let returned = expectation(description: "returned, line \(line)")
        Task {
            await body()
            returned.fulfill()
        }
        await fulfillment(of: [returned], timeout: 300)
    }

    /// Waits, with a bound, for the finish of an operation that was cancelled before its start.
    ///
    /// `waitForFinish()` returns at once then, because such an operation may never be started. One
    /// that depends on it starts when it has finished.
    func waitForFinish(ofCancelled operation: Operation, line: Int = #line) async {
        let dependent = BlockOperation {}
        dependent.addDependency(operation)
        TaskQueue().addOperation(dependent)
        await bounded(line: line) { await dependent.waitForFinish() }
    }
}
