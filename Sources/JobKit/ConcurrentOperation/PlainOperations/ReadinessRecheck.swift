import Dispatch
import Foundation

/// A plain operation in a queue that is not ready yet, although its dependencies have finished:
/// Foundation has still to tell it so.
struct ReadinessRecheck {
    let operation: Operation
    let queue: any PollingQueue

    /// How often the thread yields to those that are about to notify the operation.
    private static let yields = 10

    /// Ends waits in `body`, and returns the operations that may be ready a little later.
    static func collect(_ body: () -> Void) -> [ReadinessRecheck] {
        let context = ThreadContext.current
        let outer = context.pointee.rechecks
        context.pointee.rechecks = []
        body()
        defer { context.pointee.rechecks = outer }
        return context.pointee.rechecks ?? []
    }

    /// Asks operations again, while another thread may still be notifying them; the queue polls
    /// those that are not ready then.
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
