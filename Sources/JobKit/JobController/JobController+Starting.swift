import Foundation

extension JobController {
    /// Starts the job on ``TaskQueue/shared``.
    public final func startJob() {
        startJob(on: TaskQueue.shared)
    }

    /// Starts the job on a queue.
    public final func startJob(on queue: any OperationScheduling) {
        if !(queue is TaskQueue) {
            shell.send { $0.jobQueued(in: queue) }
        }
        queue.addOperation(self)
    }
}
