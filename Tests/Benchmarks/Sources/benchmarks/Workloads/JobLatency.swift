import Foundation
import JobKit

/// Measures a job of one task, from its start to its completion block.
enum JobLatency {
    static let name = "job start to finish"
    static let toStep = "JobController on TaskQueue, to the step's closure"

    /// The workload.
    ///
    /// Its size is the number of jobs.
    static func workload(size: Int) -> Workload {
        Workload(
            name,
            size: size,
            variants: [
                job(on: .taskQueue),
                job(on: .operationQueue),
                jobToStep,
                operationQueue,
            ]
        )
    }

    private static func job(on kind: QueueKind) -> Variant {
        .latency(kind.jobName) { trial in
            let queue = kind.make()
            trial.time {
                let job = StepsJob(queue: queue, steps: 1) { _ in }
                job.completionBlock = trial.arrive
                job.startJob(on: queue)
            }
            queue.drain()
        }
    }

    /// Ends in the step's completion, because a completion block would hop to another queue.
    private static let jobToStep = Variant.latency(toStep) { trial in
        let queue = TaskQueue()
        let arrive = trial.arrive
        trial.time { StepsJob(queue: queue, steps: 1) { _ in arrive() }.startJob(on: queue) }
        queue.drain()
    }

    /// The same without JobKit: an operation adds one step, and its completion block ends the trip.
    private static let operationQueue = Variant.latency(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        trial.time {
            let arrive = trial.arrive
            queue.addOperation(
                BlockOperation {
                    let step = BlockOperation {}
                    step.completionBlock = arrive
                    queue.addOperation(step)
                }
            )
        }
        queue.drain()
    }
}
