import JobKit

/// What it costs to watch a job: the same job, watched in different ways.
///
/// Attaching the observer is timed; reading a timeline or a progress is not.
enum Observing {
    /// The fan-out, its size the number of tasks.
    static func fanOut(size: Int) -> Workload {
        workload("observed \(FanOut.name)", size: size) { queue, trial in
            FanOutJob(queue: queue, size: trial.size, completions: trial.completions) {
                EmptyTask()
            }
        }
    }

    /// The steps, of which each is started by the callback of the one before.
    static func sequentialSteps(size: Int) -> Workload {
        workload("observed \(SequentialSteps.name)", size: size) { queue, trial in
            StepsJob(queue: queue, steps: trial.size) { [completions = trial.completions] _ in
                completions.complete()
            }
        }
    }

    private static func workload(
        _ name: String,
        size: Int,
        makeJob: @escaping @Sendable (TaskQueue, CostTrial) -> JobController
    ) -> Workload {
        Workload(
            name,
            size: size,
            baseline: Watch.nobody.rawValue,
            rounds: 5,
            variants: Watch.allCases.map { watch in
                .cost(watch.rawValue) { trial in
                    let queue = TaskQueue()
                    var job: JobController?
                    trial.time {
                        let started = makeJob(queue, trial)
                        watch.begin(started)
                        started.startJob(on: queue)
                        job = started
                    }
                    job?.waitUntilFinished()
                    queue.drain()
                }
            }
        )
    }
}
