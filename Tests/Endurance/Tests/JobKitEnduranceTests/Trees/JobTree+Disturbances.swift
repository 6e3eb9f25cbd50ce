import Foundation
import JobKit

/// What other threads do to a tree of jobs while it runs.
extension JobTree {
    /// Asks the job again and again why it has not finished, and for what else can be asked.
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

    /// Narrows and widens the queue of a few places, which never has more than at first.
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
