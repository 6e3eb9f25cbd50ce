import Dispatch
import Foundation

/// A plain operation in a ``TaskQueue`` that is not ready yet, although its dependencies have
/// finished: Foundation has still to tell it so.
struct LateLook {
    let operation: Operation
    let queue: any QueueHome

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
    static func collect(_ body: () -> Void) -> [LateLook] {
        let context = ThreadContext.current
        let outer = context.pointee.lateLooks
        context.pointee.lateLooks = []
        body()
        defer { context.pointee.lateLooks = outer }
        return context.pointee.lateLooks ?? []
    }

    /// Asks operations again until each is ready, while another thread may still be telling them.
    ///
    /// - Parameters:
    ///   - looks: The operations.
    ///   - mayPause: Whether the calling thread may pause, for a second at most.
    static func look(_ looks: [LateLook], mayPause: Bool = false) {
        for look in looks {
            let pauses = mayPause ? look.sleeps : 0
            var tries = 0
            while !look.queue.look(at: look.operation) {
                tries += 1
                guard tries <= yields + pauses else {
                    look.queue.askLater(look.operation)
                    break
                }
                if tries <= yields { sched_yield() } else { usleep(microsecondsOfSleep) }
            }
        }
    }
}
