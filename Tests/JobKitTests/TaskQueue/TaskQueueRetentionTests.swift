import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// Operations that another thread finishes while a worker of the queue is in their `start()`.
final class TaskQueueRetentionTests: XCTestCase {
    // Operation forces @unchecked. The properties are constants.
    /// Stops its finish between the moment at which it is seen and the look for its queue.
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

    // Foundation keeps nothing alive here: the queue lives as long as an operation stands in it.
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
        // A worker that took the finish for its own would give the place away now, and the queue free
        // itself. Nothing tells that it has not.
        for _ in 0..<5_000 where shell != nil { await Task.yield() }
        XCTAssertNotNil(shell)
        operation.goOn.open()
        await bounded { await operation.waitForFinish() }
        await eventually { shell == nil }
    }
}
