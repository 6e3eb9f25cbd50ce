/// JobKit's promises about costs, as bounds on measured series.
enum CostBounds {
    /// Returns the bounds in the contract's order, then the distance to the ideal queue.
    static func all(_ sizes: Sizes) -> [Bound] {
        fanOutAndSteps(sizes) + chains(sizes) + wakeUps(sizes) + growth(sizes)
            + LimitedWidth.bounds(size: sizes.tasks) + NarrowQueue.bounds(size: sizes.tasks)
            + PlainChain.bounds(size: sizes.plainChain, short: sizes.shortChain)
            + Observing.bounds(size: sizes.observed) + [plainTasks(sizes)]
            + SpacedSteps.bounds(size: sizes.spacedSteps)
            + CallGrowth.all(scale: sizes.callScale).map(\.bound)
            + RealWork.bounds + Blocking.bounds(perPlace: sizes.blockedPerPlace)
            + Lateness.bounds(size: sizes.lateTasks) + TwoPlaces.bounds(size: sizes.tasks)
            + [KeyedOperations.bound(size: sizes.tasks)]
            + AsyncOperations.bounds(size: sizes.asyncOperations, ofAJob: sizes.tasks)
            + TimeLimits.bounds(size: sizes.tasks) + distances(sizes)
    }

    private static func fanOutAndSteps(_ sizes: Sizes) -> [Bound] {
        let (fanOut, steps) = (fanOut(sizes), steps(sizes))
        let quarter = Bound.Limits(atMost: 0.5, aim: 0.25)
        return [
            bound(fanOut, to: VariantName.operationQueue, as: "OperationQueue", quarter),
            bound(steps, to: VariantName.operationQueue, as: "OperationQueue", quarter),
            bound(
                fanOut,
                to: VariantName.taskGroup,
                as: VariantName.taskGroup,
                Bound.Limits(atMost: 1, aim: 0.6)
            ),
            bound(
                fanOut,
                to: VariantName.floor,
                as: "the floor",
                Bound.Limits(atMost: 2, aim: 1.2)
            ),
        ]
    }

    private static func chains(_ sizes: Sizes) -> [Bound] {
        DependencyChain.Order.allCases.map { order in
            let workload = DependencyChain.growth(
                order,
                size: sizes.longChain,
                short: sizes.shortChain
            )
            return Bound(
                work: "dependency chain, \(order.rawValue), long against short",
                subject: workload.series(DependencyChain.chains(of: sizes.longChain), .cost),
                reference: workload.series(DependencyChain.chains(of: sizes.shortChain), .cost),
                limits: Bound.Limits(atMost: 1.5, aim: 1.1)
            )
        }
    }

    private static func wakeUps(_ sizes: Sizes) -> [Bound] {
        [WakeUp.step(size: sizes.latencies), WakeUp.event(size: sizes.latencies)]
            .flatMap { wakeUp in
                [Figure.p50, .p99]
                    .map { figure in
                        Bound(
                            work: "\(wakeUp.name), \(figure.rawValue), against OperationQueue",
                            subject: wakeUp.series(VariantName.jobOnTaskQueue, figure),
                            reference: wakeUp.series(VariantName.operationQueue, figure),
                            limits: Bound.Limits(atMost: 1.2, aim: 0.7)
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
                // A job keeps its state of a group until it ends.
                limits: variant.name == Memory.grouped
                    ? nil
                    : Bound.Limits(
                        atMost: 16 * mebibyte,
                        aim: variant.name == Memory.keyed ? mebibyte : 2 * mebibyte
                    )
            )
        }
    }

    private static func plainTasks(_ sizes: Sizes) -> Bound {
        let workload = fanOut(sizes)
        return Bound(
            work: "fan-out of plain operations against OperationQueue",
            subject: workload.series(FanOut.blockTasks, .cost),
            reference: workload.series(VariantName.operationQueue, .cost),
            limits: Bound.Limits(atMost: 0.8, aim: 0.5)
        )
    }

    /// Returns comparisons without a promise: an ideal queue, and the memory of waiting tasks.
    private static func distances(_ sizes: Sizes) -> [Bound] {
        let waiting = Memory.waiting(size: sizes.tasks)
        let memory = Bound(
            work: "resident memory of a waiting task against OperationQueue",
            subject: waiting.series(VariantName.jobOnTaskQueue, .waiting),
            reference: waiting.series(VariantName.operationQueue, .waiting),
            limits: nil
        )
        return [fanOut(sizes), steps(sizes)]
            .map { bound($0, to: VariantName.ideal, as: "the hand-written ideal", nil) } + [memory]
    }

    private static func fanOut(_ sizes: Sizes) -> Workload {
        FanOut.workload(size: sizes.tasks, all: true)
    }

    private static func steps(_ sizes: Sizes) -> Workload {
        SequentialSteps.workload(size: sizes.tasks, all: true)
    }

    private static func bound(
        _ workload: Workload,
        to reference: String,
        as name: String,
        _ limits: Bound.Limits?
    ) -> Bound {
        Bound(
            work: "\(workload.name) against \(name)",
            subject: workload.series(VariantName.jobOnTaskQueue, .cost),
            reference: workload.series(reference, .cost),
            limits: limits
        )
    }
}
