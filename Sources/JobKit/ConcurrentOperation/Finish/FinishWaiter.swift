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
    /// Resumes a waiter when the operation has finished or can no longer run, or at once.
    func add(_ waiter: FinishWaiter) {
        if !hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
    }

    /// Resumes a waiter when an operation that can no longer run has finished, or at once.
    func addForFinishOnly(_ waiter: FinishWaiter) {
        if !hooks.withLock({ $0.addWaiter(waiter, isForFinishOnly: true) }) { waiter.resume() }
    }

    /// Waits until the operation has finished, or was cancelled before it was started.
    ///
    /// A cancelled Swift task continues to wait, as with `Task.value`.
    func waitUntilFinished() async {
        await withUnsafeContinuation { continuation in
            add(FinishWaiter { continuation.resume() })
        }
    }
}
