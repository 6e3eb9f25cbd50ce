/// What JobKit promises about its costs, as bounds on measured series.
enum CostBounds {
    /// The bounds of all the work, in the contract's order.
    static func all(_ sizes: Sizes) -> [Bound] {
        fanOutAndSteps(sizes) + chains(sizes) + wakeUps(sizes) + growth(sizes)
    }

    private static func fanOutAndSteps(_ sizes: Sizes) -> [Bound] {
        let fanOut = FanOut.workload(size: sizes.tasks, all: true)
        let steps = SequentialSteps.workload(size: sizes.tasks, all: true)
        let (job, queue) = (VariantName.jobOnTaskQueue, VariantName.operationQueue)
        return [
            bound("fan-out against OperationQueue", fanOut, .cost, job, queue, 0.5, 0.25),
            bound("sequential steps against OperationQueue", steps, .cost, job, queue, 0.5, 0.25),
            bound(
                "fan-out against withTaskGroup",
                fanOut,
                .cost,
                job,
                VariantName.taskGroup,
                1,
                0.6
            ),
            bound("fan-out against the floor", fanOut, .cost, job, VariantName.floor, 2, 1.2),
        ]
    }

    private static func chains(_ sizes: Sizes) -> [Bound] {
        DependencyChain.Order.allCases.map { order in
            bound(
                "dependency chain, \(order.rawValue), long against short",
                DependencyChain.growth(order, size: sizes.longChain, short: sizes.shortChain),
                .cost,
                DependencyChain.chains(of: sizes.longChain),
                DependencyChain.chains(of: sizes.shortChain),
                1.5,
                1.1
            )
        }
    }

    private static func wakeUps(_ sizes: Sizes) -> [Bound] {
        [WakeUp.step(size: sizes.latencies), WakeUp.event(size: sizes.latencies)]
            .flatMap { wakeUp in
                [Figure.p50, .p99]
                    .map { figure in
                        bound(
                            "\(wakeUp.name), \(figure.rawValue), against OperationQueue",
                            wakeUp,
                            figure,
                            VariantName.jobOnTaskQueue,
                            VariantName.operationQueue,
                            1.2,
                            0.7
                        )
                    }
            }
    }

    private static func growth(_ sizes: Sizes) -> [Bound] {
        let mebibyte = 1_048_576.0
        let workload = Memory.growth(steps: sizes.growthSteps)
        return workload.variants.map { variant in
            Bound(
                work: "growth of memory, \(variant.name)",
                subject: workload.series(variant.name, .growth),
                reference: nil,
                atMost: 16 * mebibyte,
                aim: 2 * mebibyte
            )
        }
    }

    private static func bound(
        _ work: String,
        _ workload: Workload,
        _ figure: Figure,
        _ subject: String,
        _ reference: String,
        _ atMost: Double,
        _ aim: Double
    ) -> Bound {
        Bound(
            work: work,
            subject: workload.series(subject, figure),
            reference: workload.series(reference, figure),
            atMost: atMost,
            aim: aim
        )
    }
}
