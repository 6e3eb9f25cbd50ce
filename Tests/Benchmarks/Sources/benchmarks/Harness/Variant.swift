/// One way to do a workload.
struct Variant: Sendable {
    /// The name in the tables.
    let name: String
    /// The figures that a round measures.
    let figures: [Figure]
    /// The maximum number of rounds, unless the user requests another.
    var maximumRounds = Int.max
    /// Runs the workload once at a size, and returns the measured values.
    let run: @Sendable (_ size: Int) -> [Reading]
}

extension Variant {
    /// Returns a copy with fewer rounds, for long variants that have no bound.
    func limited(toRounds maximumRounds: Int) -> Variant {
        var variant = self
        variant.maximumRounds = maximumRounds
        return variant
    }

    /// Creates a variant that measures the time per task.
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

    /// Creates a variant that measures the wall-clock time and the processor time per task.
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

    /// Creates a variant that measures percentiles of latencies.
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
