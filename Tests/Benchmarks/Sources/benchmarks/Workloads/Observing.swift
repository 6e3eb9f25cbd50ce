import JobKit

/// Measures the cost of watching a job in different ways.
///
/// Attaching the observer is timed. Reading a timeline or a progress is not.
enum Observing {
    /// Returns the fan-out.
    ///
    /// Its size is the number of tasks.
    static func fanOut(size: Int) -> Workload {
        workload("observed \(FanOut.name)", size: size) { queue, trial in
            FanOutJob(queue: queue, size: trial.size, completions: trial.completions) {
                EmptyTask()
            }
        }
    }

    /// Returns the steps that are each started by the previous step's callback.
    static func sequentialSteps(size: Int) -> Workload {
        workload("observed \(SequentialSteps.name)", size: size) { queue, trial in
            StepsJob(queue: queue, steps: trial.size) { [completions = trial.completions] _ in
                completions.complete()
            }
        }
    }

    /// Returns the bounds on the processor time of an observer and a recorder.
    static func bounds(size: Int) -> [Bound] {
        [fanOut(size: size), sequentialSteps(size: size)]
            .flatMap { workload in
                [
                    bound(workload, .emptyObserver, Bound.Limits(atMost: 1.8, aim: 1.3)),
                    bound(workload, .recorder, Bound.Limits(atMost: 2.5, aim: 1.6)),
                ]
            }
    }

    private static func bound(
        _ workload: Workload,
        _ watch: Watch,
        _ limits: Bound.Limits
    ) -> Bound {
        Bound(
            work: "\(workload.name), \(watch.rawValue), processor time against no observer",
            subject: workload.series(watch.rawValue, .processor),
            reference: workload.series(Watch.nobody.rawValue, .processor),
            limits: limits
        )
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
            rounds: 21,
            variants: Watch.allCases.map { watch in
                .costs(watch.rawValue) { trial in
                    let queue = TaskQueue()
                    var job: JobController?
                    var events: AsyncStream<JobEvent>?
                    trial.time {
                        let started = makeJob(queue, trial)
                        events = watch.begin(started)
                        started.startJob(on: queue)
                        job = started
                    }
                    job?.waitUntilFinished()
                    queue.drain()
                    withExtendedLifetime(events) {}
                }
            }
        )
    }
}
