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
    private static let sleeps = 40
    private static let microsecondsOfSleep: UInt32 = 250

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
    ///   - mayPause: Whether the calling thread may pause for some milliseconds.
    static func look(_ looks: [LateLook], mayPause: Bool = false) {
        let pauses = mayPause ? sleeps : 0
        for look in looks {
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
