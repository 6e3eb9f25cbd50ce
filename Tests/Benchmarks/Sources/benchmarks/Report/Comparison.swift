/// A table row that compares JobKit with `OperationQueue` for one kind of work.
struct Comparison: Sendable {
    /// The work, as the document describes it.
    let work: String
    /// The cost of JobKit.
    let subject: Series
    /// The cost of `OperationQueue`.
    let reference: Series

    /// Returns the table of all comparisons.
    static func table(_ sizes: Sizes, in observations: Observations) -> Table {
        var table = Table(
            title: "JobKit beside OperationQueue",
            header: ["work", "JobKit", "`OperationQueue`", "ratio"]
        )
        table.rows = all(sizes)
            .map { row in
                let values = [row.subject, row.reference]
                    .map { series in
                        observations.summary(of: series).map { text($0.median, series.figure) }
                            ?? "–"
                    }
                let ratio = observations.ratio(of: row.subject, to: row.reference)
                    .map { NumberText.fixed($0.median, places: 2) + " ×" }
                return [row.work] + values + [ratio ?? "–"]
            }
        return table
    }

    private static func text(_ value: Double, _ figure: Figure) -> String {
        switch figure {
        case .cost, .processor: NumberText.fixed(value / 1_000, places: 1) + " µs"
        default: figure.text(value)
        }
    }

    private init(
        _ work: String,
        _ workload: Workload,
        _ subject: String = VariantName.jobOnTaskQueue,
        _ figure: Figure = .cost
    ) {
        self.work = work
        self.subject = workload.series(subject, figure)
        reference = workload.series(VariantName.operationQueue, figure)
    }

    private static func all(_ sizes: Sizes) -> [Comparison] {
        let fanOut = FanOut.workload(size: sizes.tasks, all: true)
        let steps = SequentialSteps.workload(size: sizes.tasks, all: true)
        let ofJobs: [Comparison] = [
            Comparison("100,000 tasks at once, a closure each", fanOut),
            Comparison("100,000 sequential steps", steps),
            Comparison("100,000 `BlockOperation`s as tasks of a job", fanOut, FanOut.blockTasks),
            Comparison(
                "100,000 tasks of a job on an `OperationQueue`",
                fanOut,
                VariantName.jobOnOperationQueue
            ),
            Comparison(
                "100,000 steps of a job on an `OperationQueue`",
                steps,
                VariantName.jobOnOperationQueue
            ),
            Comparison(
                "1,000 jobs of 100 tasks in one job",
                NestedJobs.workload(size: sizes.tasks)
            ),
        ]
        return ofJobs + ofQueues(sizes) + ofOneJob(sizes) + whileIdle(sizes)
    }

    private static func whileIdle(_ sizes: Sizes) -> [Comparison] {
        [
            Comparison(
                "processor time of a step, steps a millisecond apart",
                SpacedSteps.workload(size: sizes.spacedSteps),
                VariantName.jobOnTaskQueue,
                .processor
            ),
            Comparison(
                "resident memory of a task that waits",
                Memory.waiting(size: sizes.tasks),
                VariantName.jobOnTaskQueue,
                .waiting
            ),
        ]
    }

    private static func ofQueues(_ sizes: Sizes) -> [Comparison] {
        let queue = VariantName.taskQueue
        let chains = DependencyChain.Order.allCases.map { order in
            Comparison(
                "dependency chain of 1,000, \(order.rawValue)",
                DependencyChain.workload(order, size: sizes.shortChain, operationQueue: true),
                queue
            )
        }
        let others: [Comparison] = [
            Comparison(
                "chain of 1,000 `BlockOperation`s, in order",
                PlainChain.workload(size: sizes.shortChain),
                queue
            ),
            Comparison(
                "grid of 64 × 64, each after the one above and the one to the left",
                DiamondGrid.workload(side: sizes.gridSide),
                queue
            ),
            Comparison(
                "one operation after 1,000 others",
                FanIn.workload(size: sizes.shortChain, operationQueue: true),
                queue
            ),
            Comparison(
                "eight threads add to one queue",
                ContendedAdds.workload(size: sizes.tasks),
                queue
            ),
            Comparison(
                "eight threads add to one job",
                ContendedAdds.workload(size: sizes.tasks)
            ),
            Comparison(
                "cancel of 100,000 that wait in a queue",
                CancelWaiting.workload(size: sizes.tasks),
                queue
            ),
            Comparison(
                "cancel of a job with 100,000 that wait",
                CancelWaiting.workload(size: sizes.tasks)
            ),
        ]
        return chains + others
    }

    private static func ofOneJob(_ sizes: Sizes) -> [Comparison] {
        let latency = JobLatency.workload(size: sizes.latencies)
        let ends = [
            ("to the step's closure", JobLatency.toStep),
            ("to the job's `completionBlock`", VariantName.jobOnTaskQueue),
        ]
        return ends.flatMap { end, variant in
            [(Figure.p50, "median"), (.p99, "99th percentile")]
                .map { figure, name in
                    Comparison("job of one step, start \(end), \(name)", latency, variant, figure)
                }
        }
    }
}
