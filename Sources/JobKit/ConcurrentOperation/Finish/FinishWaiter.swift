import Foundation
import Synchronization

/// Resumes a Swift task when an operation has finished or can no longer run.
final class FinishWaiter: Sendable {
    /// Whether an operation that can no longer run is waited for, too.
    let isForFinishOnly: Bool
    private let body: Guarded<(@Sendable () -> Void)?>

    /// Creates a waiter that calls `body` once.
    init(isForFinishOnly: Bool = false, _ body: @escaping @Sendable () -> Void) {
        self.isForFinishOnly = isForFinishOnly
        self.body = Guarded(body)
    }

    func resume() { body.withLock { $0.take() }?() }
}
