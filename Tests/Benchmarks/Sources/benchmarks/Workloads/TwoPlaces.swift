import Foundation
import JobKit

/// The fan-out on a queue of width 2, beside an `OperationQueue` of that width.
enum TwoPlaces {
    static let together = "the job in the queue of its tasks"
    static let apart = "the job on another queue"
    private static let width = 2
    private static let runs = 3

    /// The workload; its size counts the tasks.
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

    /// What either may cost, in the worst of three runs.
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
