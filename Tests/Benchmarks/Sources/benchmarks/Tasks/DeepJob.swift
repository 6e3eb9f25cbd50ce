import Dispatch
import JobKit

/// Nested jobs in the same queue.
///
/// The innermost job waits for `last`.
// Unchecked, like every Operation subclass: nothing changes after the initializer.
final class DeepJob: JobController, @unchecked Sendable {
    /// The task that each job has beside its nested job.
    enum Company: Sendable {
        case none
        /// A task that is tracked when the nested job has finished.
        case taskAfter
        /// A task that the nested job depends on before it is tracked.
        case taskBefore
    }

    private let below: Int
    private let company: Company
    private let last: PendingTask
    private let arrived: DispatchSemaphore
    private let taskQueue: TaskQueue

    private init(
        _ below: Int,
        _ company: Company,
        _ last: PendingTask,
        _ arrived: DispatchSemaphore,
        on queue: TaskQueue
    ) {
        (self.below, self.company, self.last, self.arrived) = (below, company, last, arrived)
        taskQueue = queue
        super.init(queue: queue)
    }

    /// Runs `count` nested jobs in a queue limited to 4, until all have finished.
    static func run(_ count: Int, with company: Company = .none) {
        let queue = TaskQueue(maxConcurrentOperationCount: 4)
        let (last, arrived) = (PendingTask(), DispatchSemaphore(value: 0))
        DeepJob(count, company, last, arrived, on: queue).startJob(on: queue)
        arrived.wait()
        last.finish()
        queue.drain()
    }

    override func main() {
        guard below > 0 else {
            trackAndQueue(last)
            arrived.signal()
            return
        }
        let job = DeepJob(below - 1, company, last, arrived, on: taskQueue)
        switch company {
        case .none: trackAndQueue(job)
        case .taskAfter: trackAndQueue(job) { [self] _ in trackAndQueue(EmptyTask()) }
        case .taskBefore:
            job.trackAndQueue(EmptyTask())
            trackAndQueue(job)
        }
    }
}
