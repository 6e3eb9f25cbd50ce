import Dispatch
import Foundation

/// A plain operation in a ``TaskQueue`` whose dependencies have finished, but whom Foundation has
/// not told so yet.
struct LateLook {
    let operation: Operation
    let queue: any QueueHome

    /// How often a thread lets others run that are about to tell, and how often it then sleeps for
    /// a moment: a thread that was stopped while it tells may need milliseconds to go on.
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

    /// Looks at operations of which Foundation has been told, or is being told on another thread.
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
