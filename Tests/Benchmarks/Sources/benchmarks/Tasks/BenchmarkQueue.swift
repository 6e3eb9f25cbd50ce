import Foundation
import JobKit

/// A queue that a round can use and drain, whichever kind it is.
protocol BenchmarkQueue: OperationScheduling {
    /// Blocks the thread until the queue is empty.
    func drain()
}

extension OperationQueue: BenchmarkQueue {
    func drain() { waitUntilAllOperationsAreFinished() }
}

extension TaskQueue: BenchmarkQueue {
    func drain() { waitUntilAllOperationsAreFinished() }
}
