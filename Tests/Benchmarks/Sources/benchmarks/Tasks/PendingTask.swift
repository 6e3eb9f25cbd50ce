import Dispatch
import JobKit

/// A task that executes until somebody finishes it, and holds no thread meanwhile.
// Unchecked, as every Operation subclass: its only state is a semaphore.
final class PendingTask: ConcurrentOperation, @unchecked Sendable {
    private let hasStarted = DispatchSemaphore(value: 0)

    override func main() { hasStarted.signal() }

    override func didCancel() { finish() }

    /// Blocks the thread until the task executes.
    func waitUntilStarted() { hasStarted.wait() }
}
