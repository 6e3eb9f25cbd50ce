import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// Another thread finishes an operation while a worker of the queue is in its `start()`.
final class TaskQueueRetentionTests: XCTestCase {
    // Operation forces @unchecked. The properties are constants.
    /// Pauses its completion after it is visible and before the search for its queue.
    private final class SlowlyFinishing: ConcurrentOperation, @unchecked Sendable {
        let isSeen = Gate()
        let goOn = Gate()

        override func main() {
            Thread.detachNewThread { self.finish() }
            isSeen.wait()
        }

        override func becameFinished() {
            isSeen.open()
            goOn.wait()
        }
    }

    // Foundation retains nothing here, so the queue exists as long as it contains an operation.
    func testQueueIsRetainedUntilTheFinishIsProcessed() async {
        weak var shell: TaskQueueShell?
        let operation = SlowlyFinishing()
        func start() {
            let queue = TaskQueue()
            shell = queue.shell
            queue.addOperation(operation)
        }
        start()
        await wait(for: operation.isSeen)
        // A worker that wrongly processed this completion would now release the permit, and the
        // queue would be released. No event shows that this did not happen.
        for _ in 0..<5_000 where shell != nil { await Task.yield() }
        XCTAssertNotNil(shell)
        operation.goOn.open()
        await bounded { await operation.waitForFinish() }
        await eventually { shell == nil }
    }
}
