@testable import JobKit

extension TaskQueueWalk {
    /// The oracle's state of one entry.
    struct Entry {
        let id: Int
        let slot: Int
        var priority: OperationPriority
        let isBarrier: Bool
        /// The jobs that track this task.
        var parents: [Int]
        var isReady: Bool
        var isExecuting = false
        var isWaitingJob = false
        /// Whether it belongs before the barriers added so far.
        var jumpsBarriers: Bool
    }
}
