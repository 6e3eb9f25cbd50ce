import Foundation
import JobKit

/// The fan-out on a queue limited to 2, compared to an `OperationQueue` with the same limit.
enum TwoPlaces {
    static let together = "the job in the queue of its tasks"
    static let apart = "the job on another queue"
    private static let width = 2
    private static let runs = 3

    /// The workload.
    ///
    /// Its size is the number of tasks.
    static func workload(size: Int) -> Workload {
        Workload(
            "fan-out at width 2",
            size: size,
            rounds: runs * 9,
            variants: [
                job(together, isApart: false), job(apart, isApart: true),
                FanOut.operationQueue(width: width),
            ]
        )
    }

    /// The bounds on the cost, with the job on the same queue or another one.
    ///
    /// The worst of three runs counts.
    static func bounds(size: Int) -> [Bound] {
        let workload = workload(size: size)
        return [together, apart]
            .map { variant in
                Bound(
                    work: "fan-out at width 2, \(variant), against OperationQueue, worst of three",
                    subject: workload.series(variant, .cost),
                    reference: workload.series(VariantName.operationQueue, .cost),
                    limits: Bound.Limits(atMost: 0.5, aim: 0.3),
                    runs: runs
                )
            }
    }

    private static func job(_ name: String, isApart: Bool) -> Variant {
        .cost(name) { trial in
            let queue = TaskQueue(maxConcurrentOperationCount: width)
            let home = isApart ? TaskQueue() : queue
            var job: JobController?
            trial.time {
                let started = FanOutJob(
                    queue: queue,
                    size: trial.size,
                    completions: trial.completions
                ) { EmptyTask() }
                started.startJob(on: home)
                job = started
            }
            job?.waitUntilFinished()
            queue.drain()
        }
    }
}
