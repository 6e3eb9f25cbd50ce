@testable import JobKit

extension TaskQueueWalk {
    /// What the oracle knows of one entry.
    struct Entry {
        let id: Int
        let slot: Int
        var priority: TaskPriority
        let isBarrier: Bool
        /// The jobs whose task this is.
        var parents: [Int]
        var isReady: Bool
        var isExecuting = false
        var isWaitingJob = false
        /// Whether it belongs before the barriers added so far.
        var jumpsBarriers: Bool
    }
}
