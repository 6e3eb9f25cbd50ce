import JobKit

/// The fan-out of tasks with a timeout that never expires.
enum TimeLimits {
    private static let limited = "maximumRuntime of 1 h"
    private static let unlimited = "no limit"

    /// The workload.
    ///
    /// Its size is the number of tasks.
    static func workload(size: Int) -> Workload {
        Workload(
            "fan-out with limits of time",
            size: size,
            baseline: unlimited,
            rounds: 9,
            variants: [variant(unlimited, limit: nil), variant(limited, limit: .seconds(3_600))]
        )
    }

    /// The bounds on the cost of a timeout.
    static func bounds(size: Int) -> [Bound] {
        let workload = workload(size: size)
        return [
            Bound(
                work: "an operation with a maximumRuntime, processor time against one without",
                subject: workload.series(limited, .processor),
                reference: workload.series(unlimited, .processor),
                limits: Bound.Limits(atMost: 1.3, aim: 1.1)
            )
        ]
    }

    private static func variant(_ name: String, limit: Duration?) -> Variant {
        .costs(name) { trial in
            let queue = TaskQueue()
            var job: JobController?
            trial.time {
                let started = FanOutJob(
                    queue: queue,
                    size: trial.size,
                    completions: trial.completions
                ) {
                    let task = EmptyTask()
                    if let limit { task.maximumRuntime = limit }
                    return task
                }
                started.startJob(on: queue)
                job = started
            }
            job?.waitUntilFinished()
            queue.drain()
        }
    }
}
