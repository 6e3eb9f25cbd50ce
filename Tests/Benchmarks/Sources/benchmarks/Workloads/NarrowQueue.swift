import JobKit

/// The fan-out on a queue with a concurrency limit, while its job is on another queue.
enum NarrowQueue {
    static let narrow = "tasks on a queue of width 2"
    static let unlimited = "tasks on a queue of unlimited width"

    /// The workload.
    ///
    /// Its size is the number of tasks.
    static func workload(size: Int) -> Workload {
        Workload(
            "fan-out, the job on another queue",
            size: size,
            baseline: unlimited,
            rounds: 9,
            variants: [
                variant(unlimited, width: TaskQueue.defaultMaxConcurrentOperationCount),
                variant(narrow, width: 2),
            ]
        )
    }

    /// The bounds on the cost of a limit.
    static func bounds(size: Int) -> [Bound] {
        let workload = workload(size: size)
        return [
            Bound(
                work: "fan-out, width 2, job elsewhere, against unlimited width",
                subject: workload.series(narrow, .cost),
                reference: workload.series(unlimited, .cost),
                limits: Bound.Limits(atMost: 1.4, aim: 1.1)
            )
        ]
    }

    private static func variant(_ name: String, width: Int) -> Variant {
        .costs(name) { trial in
            let (own, queue) = (TaskQueue(), TaskQueue(maxConcurrentOperationCount: width))
            var job: JobController?
            trial.time {
                let started = FanOutJob(
                    queue: queue,
                    size: trial.size,
                    completions: trial.completions
                ) { EmptyTask() }
                started.startJob(on: own)
                job = started
            }
            job?.waitUntilFinished()
            queue.drain()
        }
    }
}
