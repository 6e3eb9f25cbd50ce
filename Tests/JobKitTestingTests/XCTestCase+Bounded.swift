import XCTest

extension XCTestCase {
    /// Runs `body` in a Swift task, and fails if it has not returned in five minutes.
    func bounded(line: Int = #line, _ body: @escaping @Sendable () async -> Void) async {
        let returned = expectation(description: "returned, line \(line)")
        Task {
            await body()
            returned.fulfill()
        }
        await fulfillment(of: [returned], timeout: 300)
    }
}
