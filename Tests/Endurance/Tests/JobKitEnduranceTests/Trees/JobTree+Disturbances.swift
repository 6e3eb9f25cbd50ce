import Foundation
import JobKit

/// Disturbances of a running tree of jobs by other threads.
extension JobTree {
    /// Repeatedly calls `explainStall` and reads all other state of the job.
    func askWhileItRuns(_ job: JobController) {
        disturb(after: 0) {
            for _ in 0..<200 where !job.isFinished {
                _ = job.explainStall()
                _ = job.trackedTasks
                _ = job.progress.fractionCompleted
                giveWay()
            }
        }
    }

    /// Changes the limit of the limited queue, but never raises it above the initial limit.
    func changeWidths(_ seed: UInt64) {
        guard let queue = queues[1].queue as? TaskQueue else { return }
        let width = queue.maxConcurrentOperationCount
        disturb(after: 0) {
            var dice = Dice(seed: seed)
            for _ in 0..<20 {
                queue.maxConcurrentOperationCount = dice.number(1...width)
                queue.isSuspended = dice.one(in: 4)
                dice.delay().pass()
                giveWay()
            }
            queue.isSuspended = false
            queue.maxConcurrentOperationCount = width
        }
    }
}
