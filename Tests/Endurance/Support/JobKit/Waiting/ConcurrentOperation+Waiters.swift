@testable import JobKit

extension ConcurrentOperation {
    /// Whether a Swift task awaits the operation.
    var hasWaiter: Bool {
        hooks.withLock { $0.subscribers.others.read { !$0.waiters.isEmpty } == true }
    }
}
