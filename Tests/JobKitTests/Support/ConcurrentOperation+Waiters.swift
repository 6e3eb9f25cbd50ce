@testable import JobKit

extension ConcurrentOperation {
    /// Whether a task awaits the operation.
    var hasWaiter: Bool { hooks.withLock { $0.audience.others?.waiters.isEmpty == false } }

    /// Whether the finish is complete: who had to hear of it, observers too, has heard.
    var isClosed: Bool { hooks.withLock { $0.isClosed } }
}
