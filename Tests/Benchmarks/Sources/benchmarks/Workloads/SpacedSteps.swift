import Foundation
import JobKit

/// Steps that run a millisecond apart, so that the process is nearly always idle.
enum SpacedSteps {
    /// The workload.
    ///
    /// Its size is the number of steps.
    static func workload(size: Int) -> Workload {
        Workload(
            "steps a millisecond apart",
            size: size,
            rounds: 3,
            variants: [jobOnTaskQueue, operationQueue]
        )
    }

    /// The bounds on the processor time of the steps.
    static func bounds(size: Int) -> [Bound] {
        let workload = workload(size: size)
        return [
            Bound(
                work: "steps a millisecond apart, processor time, against OperationQueue",
                subject: workload.series(VariantName.jobOnTaskQueue, .processor),
                reference: workload.series(VariantName.operationQueue, .processor),
                limits: Bound.Limits(atMost: 1.6, aim: 1)
            )
        ]
    }

    private static let jobOnTaskQueue = Variant.costs(VariantName.jobOnTaskQueue) { trial in
        let queue = TaskQueue()
        let job = HeldJob(queue: queue)
        let completions = trial.completions
        trial.time {
            forEachMillisecond(trial.size) {
                job.trackAndQueue(EmptyTask()) { _ in completions.complete() }
            }
        }
        job.release()
        queue.drain()
    }

    private static let operationQueue = Variant.costs(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        let completions = trial.completions
        trial.time {
            forEachMillisecond(trial.size) {
                let operation = BlockOperation {}
                operation.completionBlock = { completions.complete() }
                queue.addOperation(operation)
            }
        }
        queue.drain()
    }

    private static func forEachMillisecond(_ count: Int, _ body: () -> Void) {
        for _ in 0..<count {
            Thread.sleep(forTimeInterval: 1e-3)
            body()
        }
    }
}
