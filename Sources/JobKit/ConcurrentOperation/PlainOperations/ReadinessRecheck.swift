import Dispatch
import Foundation

/// A queued plain operation whose dependencies have finished, but that is not ready yet.
///
/// Foundation has not notified it yet.
struct ReadinessRecheck {
    let operation: Operation
    let queue: any PollingQueue

    /// How often the thread yields to the threads that are about to notify the operation.
    private static let yields = 10

    /// Ends waits in `body`, and returns the operations that may become ready shortly afterwards.
    static func collect(_ body: () -> Void) -> [ReadinessRecheck] {
        let context = ThreadContext.current
        let outer = context.pointee.rechecks
        context.pointee.rechecks = []
        body()
        defer { context.pointee.rechecks = outer }
        return context.pointee.rechecks ?? []
    }

    /// Checks operations again, while another thread may still be notifying them.
    ///
    /// The queue polls those that are not ready after a few attempts.
    static func run(_ rechecks: [ReadinessRecheck]) {
        for recheck in rechecks {
            var tries = 0
            while !recheck.queue.markReadyIfReady(recheck.operation) {
                tries += 1
                guard tries <= yields else {
                    recheck.queue.pollSoon(recheck.operation)
                    break
                }
                sched_yield()
            }
        }
    }
}
