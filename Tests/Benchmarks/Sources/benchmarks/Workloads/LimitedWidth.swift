import JobKit

/// A job and its tasks in the same queue with a concurrency limit, as in a service.
enum LimitedWidth: String, CaseIterable {
    case fanOut = "fan-out"
    case sequentialSteps = "sequential steps"
    case nestedJobs = "nested jobs of 100 tasks"
    case manyJobs = "many jobs of 10 steps"

    static let unlimited = "unlimited width"
    static let widths = [2, 64]
    private static let stepsPerJob = 10

    /// Returns the name of the variant with the given concurrency limit.
    static func width(_ width: Int) -> String { "width \(width)" }

    /// Returns the work on queues with several limits.
    ///
    /// Its size is the number of tasks.
    func workload(size: Int) -> Workload {
        var variants =
            [variant(Self.unlimited, width: TaskQueue.defaultMaxConcurrentOperationCount)]
            + Self.widths.map { variant(Self.width($0), width: $0) }
        if self == .sequentialSteps { variants.append(SequentialSteps.operationQueue) }
        return Workload(
            "job in the queue of its tasks, \(rawValue)",
            size: size,
            baseline: Self.unlimited,
            rounds: 9,
            variants: variants
        )
    }

    /// Returns the bounds on the cost of a limit, and of its steps compared to `OperationQueue`.
    static func bounds(size: Int) -> [Bound] {
        let steps = sequentialSteps.workload(size: size)
        return allCases.flatMap { $0.bounds(size: size) } + [
            Bound(
                work: "sequential steps, width 2, against OperationQueue",
                subject: steps.series(width(2), .cost),
                reference: steps.series(VariantName.operationQueue, .cost),
                limits: Bound.Limits(atMost: 0.5, aim: 0.3)
            )
        ]
    }

    private func bounds(size: Int) -> [Bound] {
        let workload = workload(size: size)
        return Self.widths.map { width in
            Bound(
                work: "\(rawValue), job in a queue of width \(width), processor time",
                subject: workload.series(Self.width(width), .processor),
                reference: workload.series(Self.unlimited, .processor),
                limits: Bound.Limits(atMost: 1.5, aim: 1.2)
            )
        }
    }

    private func variant(_ name: String, width: Int) -> Variant {
        .costs(name) { trial in
            let queue = TaskQueue(maxConcurrentOperationCount: width)
            var jobs: [JobController] = []
            trial.time {
                jobs = makeJobs(on: queue, trial)
                for job in jobs { job.startJob(on: queue) }
            }
            for job in jobs { job.waitUntilFinished() }
            queue.drain()
        }
    }

    private func makeJobs(on queue: TaskQueue, _ trial: CostTrial) -> [JobController] {
        let completions = trial.completions
        switch self {
        case .fanOut:
            return [
                FanOutJob(queue: queue, size: trial.size, completions: completions) { EmptyTask() }
            ]
        case .sequentialSteps:
            return [StepsJob(queue: queue, steps: trial.size) { _ in completions.complete() }]
        case .nestedJobs:
            return [NestingJob(queue: queue, trial: trial, tasksPerJob: NestedJobs.tasksPerJob)]
        case .manyJobs:
            return (0..<(trial.size / Self.stepsPerJob))
                .map { _ in
                    StepsJob(queue: queue, steps: Self.stepsPerJob) { _ in completions.complete() }
                }
        }
    }
}
