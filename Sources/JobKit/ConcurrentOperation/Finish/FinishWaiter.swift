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

extension ConcurrentOperation {
    /// Resumes a waiter when the operation has finished, or at once if it has.
    ///
    /// Unless `isForFinishOnly` is true, also resumes it when the operation can no longer run.
    func add(_ waiter: FinishWaiter, isForFinishOnly: Bool = false) {
        let waits = hooks.withLock { $0.addWaiter(waiter, isForFinishOnly: isForFinishOnly) }
        if !waits { waiter.resume() }
    }
}
