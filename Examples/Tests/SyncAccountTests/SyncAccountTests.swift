import JobKit
import XCTest

@testable import sync_account

final class SyncAccountTests: XCTestCase {
    func testEveryArticleIsStoredDespiteFailures() async throws {
        let count = try await SyncAccount().run()
        XCTAssertEqual(count, 8)
    }

    func testCancelledJobThrowsCancellationError() async {
        let job = SyncAccount()
        job.cancel()
        do {
            try await job.run()
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)")
        }
    }
}
