import Foundation
import JobKit

/// A chain of plain `BlockOperation`s that each depend on the previous one.
enum PlainChain {
    /// Returns the workload of one chain, on either kind of queue.
    static func workload(size: Int) -> Workload {
        Workload(
            "chain of plain operations",
            size: size,
            rounds: 5,
            variants: [
                .cost(VariantName.taskQueue) { run(on: TaskQueue(), .firstFirst, $0) },
                .cost(VariantName.operationQueue) { run(on: OperationQueue(), .firstFirst, $0) },
            ]
        )
    }

    /// Compares long chains with short ones, with an equal number of operations.
    static func growth(_ order: DependencyChain.Order, size: Int, short: Int) -> Workload {
        Workload(
            "long chain of plain operations, \(order.rawValue)",
            size: size,
            baseline: DependencyChain.chains(of: short),
            variants: [short, size]
                .map { length in
                    .cost(DependencyChain.chains(of: length)) { trial in
                        let queue = TaskQueue(maxConcurrentOperationCount: 1)
                        run(on: queue, order, chainCount: max(1, trial.size / length), trial)
                    }
                }
        )
    }

    /// Returns the bounds on a chain's cost compared to `OperationQueue`, and on its growth.
    static func bounds(size: Int, short: Int) -> [Bound] {
        let chain = workload(size: short)
        let against = Bound(
            work: "chain of plain operations against OperationQueue",
            subject: chain.series(VariantName.taskQueue, .cost),
            reference: chain.series(VariantName.operationQueue, .cost),
            limits: Bound.Limits(atMost: 1, aim: 0.2)
        )
        return [against]
            + DependencyChain.Order.allCases.map { order in
                let growth = growth(order, size: size, short: short)
                return Bound(
                    work: "chain of plain operations, \(order.rawValue), long against short",
                    subject: growth.series(DependencyChain.chains(of: size), .cost),
                    reference: growth.series(DependencyChain.chains(of: short), .cost),
                    limits: Bound.Limits(atMost: 1.6, aim: 1.2)
                )
            }
    }

    private static func run(
        on queue: some BenchmarkQueue,
        _ order: DependencyChain.Order,
        chainCount: Int = 1,
        _ trial: CostTrial
    ) {
        DependencyChain.run(on: queue, order, chainCount: chainCount, trial) { completions in
            BlockOperation { completions.complete() }
        }
    }
}
