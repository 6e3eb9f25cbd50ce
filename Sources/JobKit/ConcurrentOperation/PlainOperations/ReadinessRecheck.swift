import Dispatch
import Foundation

/// A plain operation in a queue that is not ready yet, although its dependencies have finished:
/// Foundation has still to tell it so.
struct ReadinessRecheck {
    let operation: Operation
    let queue: any PollingQueue

    /// How often the thread yields to those that are about to tell, before it sleeps for a moment
    /// at a time: a thread that was stopped while it tells may need milliseconds to go on.
    private static let yields = 10
    private static let microsecondsOfSleep: UInt32 = 250

    /// How often to sleep at most.
    ///
    /// Foundation's own operation is ready as soon as it is told, if it takes a second. Another one
    /// may have an `isReady` of its own, and the place is not kept from the others for that.
    private var sleeps: Int { type(of: operation) == BlockOperation.self ? 4_000 : 40 }

    /// Ends waits in `body`, and returns the operations that may be ready a little later.
    static func collect(_ body: () -> Void) -> [ReadinessRecheck] {
        let context = ThreadContext.current
        let outer = context.pointee.rechecks
        context.pointee.rechecks = []
        body()
        defer { context.pointee.rechecks = outer }
        return context.pointee.rechecks ?? []
    }

    /// Asks operations again until each is ready, while another thread may still be telling them.
    ///
    /// - Parameters:
    ///   - rechecks: The operations.
    ///   - mayPause: Whether the calling thread may pause, for a second at most.
    static func run(_ rechecks: [ReadinessRecheck], mayPause: Bool = false) {
        for recheck in rechecks {
            let pauses = mayPause ? recheck.sleeps : 0
            var tries = 0
            while !recheck.queue.markReadyIfReady(recheck.operation) {
                tries += 1
                guard tries <= yields + pauses else {
                    recheck.queue.pollSoon(recheck.operation)
                    break
                }
                if tries <= yields { sched_yield() } else { usleep(microsecondsOfSleep) }
            }
        }
    }
}
