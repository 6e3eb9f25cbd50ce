/// One way to do a workload.
struct Variant: Sendable {
    /// The name in the tables.
    let name: String
    /// Which figures a round gives.
    let figures: [Figure]
    /// In how many rounds it takes part at most, unless a number is asked for.
    var maximumRounds = Int.max
    /// Does the workload once, at a size, and reads what it cost.
    let run: @Sendable (_ size: Int) -> [Reading]
}

extension Variant {
    /// The same, in fewer rounds: for what is long, and stands in no bound.
    func limited(toRounds maximumRounds: Int) -> Variant {
        var variant = self
        variant.maximumRounds = maximumRounds
        return variant
    }

    /// A variant whose figure is the time per task.
    static func cost(
        _ name: String,
        _ body: @escaping @Sendable (CostTrial) -> Void
    ) -> Variant {
        Variant(name: name, figures: [.cost]) { size in
            let trial = CostTrial(size: size)
            body(trial)
            return [Reading(figure: .cost, value: trial.nanosecondsPerTask)]
        }
    }

    /// A variant whose figures are the time per task, and what the processors spent for it.
    static func costs(
        _ name: String,
        _ body: @escaping @Sendable (CostTrial) -> Void
    ) -> Variant {
        Variant(name: name, figures: [.cost, .processor]) { size in
            let trial = CostTrial(size: size)
            body(trial)
            return [
                Reading(figure: .cost, value: trial.nanosecondsPerTask),
                Reading(figure: .processor, value: trial.processorNanosecondsPerTask),
            ]
        }
    }

    /// A variant whose figures are the percentiles of single latencies.
    static func latency(
        _ name: String,
        _ body: @escaping @Sendable (LatencyTrial) -> Void
    ) -> Variant {
        Variant(name: name, figures: [.p50, .p99]) { size in
            let trial = LatencyTrial(size: size)
            body(trial)
            let latencies = trial.summary
            return [
                Reading(figure: .p50, value: latencies.median),
                Reading(figure: .p99, value: latencies.quantile(0.99)),
            ]
        }
    }
}
