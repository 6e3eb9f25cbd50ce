import JobKit
import JobObservability
import Logging
import XCTest

final class RetryAttemptsTests: XCTestCase {
    private struct Broken: Error {}

    /// A failed attempt before another one is neither a task nor a failure, but a failed retry is
    /// one.
    func testAttemptsAreNoTasksAndNoFailures() async throws {
        let job = RetriesJob()
        let observer = RunObserver(
            RunIdentity(kind: "retries"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        job.addObserver(observer)
        try await job.run()
        XCTAssertEqual(observer.counts.tracked, 2)
        XCTAssertEqual(observer.counts.finished, 2)
        XCTAssertEqual(observer.counts.failed, 1)
        XCTAssertEqual(observer.failures.map(\.name), ["hopeless"])
    }

    // Operation forces @unchecked. There are no properties.
    private final class RetriesJob: JobController, @unchecked Sendable {
        override func main() {
            let policy = RetryPolicy.exponential(attempts: 3, initialDelay: .milliseconds(1))
            let good = RetryOperation(policy) { attempt in
                ClosureOperation<Void> { if attempt < 3 { throw Broken() } }
            }
            let bad = RetryOperation(policy) { _ in ClosureOperation<Void> { throw Broken() } }
            bad.name = "hopeless"
            trackAndQueue(good)
            trackAndQueue(bad, failure: .carryOn)
        }
    }
}
