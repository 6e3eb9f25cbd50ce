import Dispatch
import JobKit

/// A task that executes until the test finishes it, without using a thread.
// Unchecked, like every Operation subclass: its only state is a semaphore.
final class PendingTask: ConcurrentOperation, @unchecked Sendable {
    private let hasStarted = DispatchSemaphore(value: 0)

    override func main() { hasStarted.signal() }

    override func didCancel() { finish() }

    /// Blocks the thread until the task executes.
    func waitUntilStarted() { hasStarted.wait() }
}
