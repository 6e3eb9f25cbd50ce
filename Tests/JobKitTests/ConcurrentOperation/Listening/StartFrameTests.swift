import JobKitTesting
import XCTest

@testable import JobKit

// O1, J5: an operation that finishes during its start is delivered once and releases its permit.
final class StartFrameTests: XCTestCase {
    func testOperationFinishedInsideTheStartOfAnotherIsDeliveredOnce() async throws {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        for _ in 0..<50 {
            let count = Tally()
            let outer = ScriptedOperation { outer in
                ScriptedOperation { inner in
                    outer.finish()
                    inner.finish()
                }
                .start()
            }
            let job = ScriptedJob { job in
                job.trackAndQueue(outer, on: queue) { _ in count.add() }
                job.trackAndQueue(InstantOperation("next"), on: queue) { _ in count.add() }
            }
            try await job.run()
            XCTAssertEqual(count.count, 2)
        }
        await drain(queue)
    }
}
