import Foundation
import JobKit

/// A queue of either kind, as a round needs it.
protocol BenchmarkQueue: OperationScheduling {
    /// Adds a closure in the way of the kind of queue.
    func add(_ block: @escaping @Sendable () -> Void)

    /// Blocks the thread until the queue is empty.
    func drain()
}

extension OperationQueue: BenchmarkQueue {
    func add(_ block: @escaping @Sendable () -> Void) { addOperation(block) }

    func drain() { waitUntilAllOperationsAreFinished() }
}

extension TaskQueue: BenchmarkQueue {
    func add(_ block: @escaping @Sendable () -> Void) { addOperation(block) }

    func drain() { waitUntilAllOperationsAreFinished() }
}
