import Foundation
import Synchronization
import XCTest

@testable import JobKit

final class PlainNumbersStressTests: XCTestCase {
    // Operation forces @unchecked. The closure is a constant.
    /// Calls a closure when it is released.
    private final class TellingOperation: Operation, @unchecked Sendable {
        private let freed: @Sendable () -> Void

        init(_ freed: @escaping @Sendable () -> Void) { self.freed = freed }

        deinit { freed() }
    }

    private final class SilentObserver: JobObserver {
        func job(_ job: JobController, didRecord event: JobEvent) {}
    }

    /// A job numbers its tasks under its lock, while another thread releases operations with
    /// numbers.
    ///
    /// The job's thread must not release any of them.
    func testTrackingFreesNoOperationOfAnotherThread() async {
        let job = JobController()
        job.isSuspended = true
        job.addObserver(SilentObserver())
        let freed = Tally()
        let hasEnded = Atomic(false)
        let key = "PlainNumbersStressTests tracks"
        await runOnThreads(2) { number in
            guard number == 0 else {
                Thread.current.threadDictionary[key] = true
                for _ in 0..<40_000 { job.trackAndQueue(BlockOperation {}) }
                return hasEnded.store(true, ordering: .releasing)
            }
            while !hasEnded.load(ordering: .acquiring) {
                var others = (0..<3_000)
                    .map { _ in
                        TellingOperation {
                            if Thread.current.threadDictionary[key] != nil { freed.add() }
                        }
                    }
                for other in others { _ = other.operationID }
                while let other = others.popLast() { withExtendedLifetime(other) {} }
            }
        }
        job.cancel()
        XCTAssertEqual(freed.count, 0)
    }
}
