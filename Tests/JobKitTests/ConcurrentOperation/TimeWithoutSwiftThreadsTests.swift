import Foundation
import JobKit
import JobKitTesting
import XCTest

/// O8: timeouts and delays on system clocks need no thread that other code can block.
final class TimeWithoutSwiftThreadsTests: XCTestCase {
    /// Its `didCancel()` returns when the gate is opened.
    private final class Stuck: ConcurrentOperation, @unchecked Sendable {
        let (isInDidCancel, release) = (Gate(), Gate())

        override func main() {}

        override func didCancel() {
            isInDidCancel.open()
            release.wait()
            finish()
        }
    }

    private static let clocks: [any Clock<Duration>] = [ContinuousClock(), SuspendingClock()]

    func testDidCancelThatDoesNotReturnDelaysNoOtherLimit() async {
        for clock in Self.clocks {
            let blocked = (0..<length(of: 200)).map { _ in Stuck() }
            for operation in blocked {
                operation.clock = clock
                operation.start()
                // Set afterwards, because an operation that times out before `main()` skips it.
                operation.maximumRuntime = .milliseconds(1)
            }
            for operation in blocked { await wait(for: operation.isInDidCancel) }
            let other = HeldOperation()
            other.clock = clock
            other.maximumRuntime = .milliseconds(1)
            other.start()
            await bounded { await other.waitForFinish() }
            XCTAssertTrue(other.error is OperationTimeoutError)
            for operation in blocked { operation.release.open() }
            for operation in blocked { await bounded { await operation.waitForFinish() } }
        }
    }

    func testLimitsAndDelaysPassWhileTheThreadsOfSwiftTasksAreBlocked() {
        let (release, group) = (Gate(), DispatchGroup())
        for _ in 0..<64 {
            group.enter()
            // Blocks its thread on purpose.
            Task {
                (release.wait as () -> Void)()
                group.leave()
            }
        }
        for clock in Self.clocks {
            let (operation, called) = (HeldOperation(), expectation(description: "called"))
            let finished = expectation(description: "finished")
            operation.clock = clock
            operation.completionBlock = { finished.fulfill() }
            operation.start()
            operation.perform(after: .milliseconds(1)) {
                called.fulfill()
                operation.maximumRuntime = .milliseconds(2)
            }
            wait(for: [called, finished], timeout: 300)
            XCTAssertTrue(operation.error is OperationTimeoutError)
        }
        release.open()
        group.wait()
    }

    func testOperationThatIsReleasedWhileItsLimitRunsIsNotKept() {
        weak var released: ConcurrentOperation?
        do {
            let operation = HeldOperation()
            operation.maximumRuntime = .seconds(3_600)
            operation.start()
            released = operation
        }
        XCTAssertNil(released)
    }
}
