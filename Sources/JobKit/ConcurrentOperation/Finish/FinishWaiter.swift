import Foundation
import Synchronization

/// Resumes a Swift task when an operation has finished or can no longer run.
final class FinishWaiter: Sendable {
    private let body: Guarded<(@Sendable () -> Void)?>

    /// Creates a waiter that calls `body` once.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = Guarded(body)
    }

    func resume() { body.withLock { $0.take() }?() }
}
