import Dispatch
import JobKit

/// A job that stays open, with nothing to do, until it is released.
// Unchecked, as every Operation subclass: its own state is immutable and Sendable.
final class HeldJob: JobController, @unchecked Sendable {
    private let holder = PendingTask()
    private let hasStarted = DispatchSemaphore(value: 0)

    /// Starts the job; returns when its `main()` is about to return.
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
