import Foundation

/// What an operation may have waited for before its start, besides those that it depends on.
struct StartPlace: Sendable {
    /// The ``TaskQueue`` of limited width whose place it takes, as a number; 0 for none.
    var queueID = 0
    /// The operation that ended last on the worker thread that starts it; 0 for none.
    var threadCauseID = 0
    /// The task that gave it its place in its group; 0 for none.
    var groupCauseID = 0

    /// What is known of an operation that the calling thread is starting.
    init(of operation: Operation, groupCauseID: Int) {
        self.groupCauseID = groupCauseID
        let context = ThreadContext.current
        guard context.pointee.frame.isWorkers, context.pointee.frame.isOf(operation) else { return }
        queueID = context.pointee.frame.limitedQueue
        threadCauseID = context.pointee.lastFinished
    }

    init() {}
}
