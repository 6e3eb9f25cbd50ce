import Dispatch
import JobKit

/// A job that waits for a task owned by the caller.
// Unchecked, like every Operation subclass: its own state is immutable and Sendable.
final class TrackingJob: JobController, @unchecked Sendable {
    private let task: ConcurrentOperation
    private let hasTracked = DispatchSemaphore(value: 0)

    init(_ task: ConcurrentOperation) {
        self.task = task
        super.init()
    }

    override func main() {
        track(task)
        hasTracked.signal()
    }

    /// Blocks the thread until the job tracks the task.
    func waitUntilTracked() { hasTracked.wait() }
}
