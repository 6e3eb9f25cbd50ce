import Foundation
import Synchronization

/// Resumes a Swift task when an operation has finished, or can never run.
final class FinishWaiter: Sendable {
    private let continuation: Guarded<UnsafeContinuation<Void, Never>?>

    init(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = Guarded(continuation)
    }

    func resume() {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume()
    }
}

extension ConcurrentOperation {
    /// Waits until the operation has finished, or was cancelled before it was started.
    ///
    /// Goes on waiting in a cancelled task, as `Task.value` does.
    func waitUntilSettled() async {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter(continuation)
            if !hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
        }
    }
}
