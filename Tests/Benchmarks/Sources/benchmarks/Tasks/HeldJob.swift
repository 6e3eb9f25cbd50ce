import Dispatch
import JobKit

/// A job that stays open, with nothing to do, until it is released.
// Unchecked, like every Operation subclass: its own state is immutable and Sendable.
final class HeldJob: JobController, @unchecked Sendable {
    private let holder = PendingTask()
    private let hasStarted = DispatchSemaphore(value: 0)

    /// Starts the job, and returns just before its `main()` does.
    init(queue: any OperationScheduling) {
        super.init(queue: queue)
        startJob(on: queue)
        hasStarted.wait()
    }

    override func main() {
        trackAndQueue(holder)
        hasStarted.signal()
    }

    /// Lets the job finish, and blocks the thread until it has.
    func release() {
        holder.finish()
        waitUntilFinished()
    }
}
