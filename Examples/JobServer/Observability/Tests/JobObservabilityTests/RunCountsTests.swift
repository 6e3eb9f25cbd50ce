import Dispatch
import XCTest

@testable import JobObservability

final class RunCountsTests: XCTestCase {
    func testNoNumberIsLargerThanTheNext() {
        let (counts, total) = (RunCounts(), 1_000_000)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                for _ in 0..<total {
                    counts.taskTracked()
                    counts.taskFinished(failed: true)
                }
            } else {
                var tracked = 0
                while tracked < total {
                    let (failed, finished) = (counts.failed, counts.finished)
                    tracked = counts.tracked
                    guard failed > finished || finished > tracked else { continue }
                    return XCTFail("\(failed) failed of \(finished) finished of \(tracked)")
                }
            }
        }
    }
}
