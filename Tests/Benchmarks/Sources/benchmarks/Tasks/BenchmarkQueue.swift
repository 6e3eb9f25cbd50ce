import Foundation
import JobKit

/// A queue that a round can use and drain, whichever kind it is.
protocol BenchmarkQueue: OperationScheduling {
    /// Adds a closure, as each kind takes it.
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
