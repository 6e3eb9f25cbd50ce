/// All workloads and the bounds on their costs.
struct Catalogue: Sendable {
    /// The sizes of the workloads.
    let sizes: Sizes

    /// Every workload, in the order of the tables.
    var workloads: [Workload] {
        [
            FanOut.workload(size: sizes.tasks, all: true),
            SequentialSteps.workload(size: sizes.tasks, all: true),
            WakeUp.step(size: sizes.latencies),
            WakeUp.event(size: sizes.latencies),
            JobLatency.workload(size: sizes.latencies),
            NestedJobs.workload(size: sizes.tasks),
            Observing.fanOut(size: sizes.observed),
            Observing.sequentialSteps(size: sizes.observed),
        ]
            + LimitedWidth.allCases.map { $0.workload(size: sizes.tasks) }
            + [NarrowQueue.workload(size: sizes.tasks), TwoPlaces.workload(size: sizes.tasks)]
            + DependencyChain.Order.allCases.flatMap { order in
                [
                    DependencyChain.growth(order, size: sizes.longChain, short: sizes.shortChain),
                    DependencyChain.workload(order, size: sizes.shortChain, operationQueue: true),
                ]
            }
            + [PlainChain.workload(size: sizes.shortChain)]
            + DependencyChain.Order.allCases.map { order in
                PlainChain.growth(order, size: sizes.plainChain, short: sizes.shortChain)
            }
            + [
                SpacedSteps.workload(size: sizes.spacedSteps),
                WaitingJobs.workload(size: sizes.waitingJobs),
                DiamondGrid.workload(side: sizes.gridSide),
                FanIn.workload(size: sizes.shortChain, operationQueue: true),
                FanIn.workload(size: sizes.fanIn, operationQueue: false),
                ContendedAdds.workload(size: sizes.tasks),
                CancelWaiting.workload(size: sizes.tasks),
                KeyedOperations.workload(size: sizes.tasks),
            ]
            + AsyncOperations.workloads(size: sizes.asyncOperations, ofAJob: sizes.tasks)
            + [TimeLimits.workload(size: sizes.tasks)]
            + RealWork.lengths.map { RealWork.workload(microseconds: $0) }
            + Blocking.workloads(perPlace: sizes.blockedPerPlace)
            + Lateness.allCases.map { $0.workload(size: sizes.lateTasks) }
            + [Memory.waiting(size: sizes.tasks), Memory.growth(steps: sizes.growthSteps)]
            + CallGrowth.all(scale: sizes.callScale).map(\.workload)
            + sweep
    }

    /// The workloads of further sizes, for the drawing of cost against n.
    private var sweep: [Workload] {
        sizes.fanOutSweep.map { FanOut.workload(size: $0, all: false, rounds: rounds(of: $0)) }
            + sizes.stepsSweep.map { size in
                SequentialSteps.workload(size: size, all: false, rounds: rounds(of: size))
            }
            + DependencyChain.Order.allCases.flatMap { order in
                sizes.chains.map { size in
                    DependencyChain.workload(
                        order,
                        size: size,
                        operationQueue: size <= sizes.shortChain
                    )
                }
            }
    }

    private func rounds(of size: Int) -> Int {
        size > sizes.tasks ? 1 : size < sizes.tasks / 10 ? 9 : 5
    }
}
