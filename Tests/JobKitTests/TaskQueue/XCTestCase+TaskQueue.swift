import JobKit
import JobKitTesting
import XCTest

extension XCTestCase {
    /// Awaits the end of all operations of a queue, on a plain thread that may be blocked.
    func drain(_ queue: TaskQueue, timeout: TimeInterval = 60) async {
        let drained = expectation(description: "the queue is empty")
        Thread.detachNewThread {
            queue.waitUntilAllOperationsAreFinished()
            drained.fulfill()
        }
        await fulfillment(of: [drained], timeout: timeout)
    }
}

// Operation forces @unchecked. The closure is a constant.
/// Runs a closure in `main()`, which says itself when the work is done.
final class WorkOperation: ConcurrentOperation, @unchecked Sendable {
    private let work: @Sendable (WorkOperation) -> Void

    init(_ name: String = "", _ work: @escaping @Sendable (WorkOperation) -> Void) {
        self.work = work
        super.init()
        self.name = name
    }

    override func main() { work(self) }
}

// Operation forces @unchecked. The closure is a constant.
/// A job whose `main()` is a closure.
final class WorkJob: JobController, @unchecked Sendable {
    private let work: @Sendable (WorkJob) -> Void

    init(_ name: String = "", on queue: TaskQueue, _ work: @escaping @Sendable (WorkJob) -> Void) {
        self.work = work
        super.init(queue: queue)
        self.name = name
    }

    override func main() { work(self) }
}
