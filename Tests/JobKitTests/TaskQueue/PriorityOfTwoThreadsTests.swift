import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

/// Q2: the order follows the visible value of the priority.
final class PriorityOfTwoThreadsTests: XCTestCase {
    func testLaterPriorityCountsAlthoughTheQueueHearsOfItFirst() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let holder = HeldOperation("holder", stopsWhenCancelled: false)
        let log = EventLog()
        let other = ClosureOperation { log.record("other") }
        let changed = SlowPriority { log.record("changed") }
        queue.addOperations([holder, other, changed])
        await wait(for: holder.began)
        changed.holdsNextRead.store(true, ordering: .sequentiallyConsistent)
        let isSet = Gate()
        Thread.detachNewThread {
            // The queue reads this value, and is notified of it last.
            changed.queuePriority = .veryLow
            isSet.open()
        }
        await wait(for: changed.isRead)
        changed.queuePriority = .veryHigh
        changed.mayReturn.open()
        await wait(for: isSet)
        XCTAssertEqual(changed.queuePriority, .veryHigh)
        holder.finish()
        await bounded { await queue.waitForAllOperations() }
        XCTAssertEqual(log.events, ["changed", "other"])
    }
}

// Operation forces @unchecked. The flag is atomic, the rest constant.
/// Returns from one read of its priority only when a gate is open.
private final class SlowPriority: ConcurrentOperation, @unchecked Sendable {
    let holdsNextRead = Atomic(false)
    let isRead = Gate()
    let mayReturn = Gate()
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    override func main() {
        body()
        finish()
    }

    override var queuePriority: QueuePriority {
        get {
            let priority = super.queuePriority
            if holdsNextRead.exchange(false, ordering: .sequentiallyConsistent) {
                isRead.open()
                mayReturn.wait()
            }
            return priority
        }
        set { super.queuePriority = newValue }
    }
}
