import Foundation
import Synchronization

/// Called when an operation has finished, or can never run: resumes a Swift task.
final class FinishWaiter: Sendable {
    private let body: Guarded<(@Sendable () -> Void)?>

    /// Makes a waiter that calls `body` once.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = Guarded(body)
    }

    func resume() { body.withLock { $0.take() }?() }
}

extension ConcurrentOperation {
    /// Waits until the operation has finished, or was cancelled before it was started.
    ///
    /// Goes on waiting in a cancelled task, as `Task.value` does.
    func waitUntilSettled() async {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter { continuation.resume() }
            if !hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
        }
    }
}
