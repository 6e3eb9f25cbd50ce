import Foundation
import JobKit

/// Operations of which each depends on the one before.
enum DependencyChain {
    /// In which order the members of a chain are added.
    enum Order: String, CaseIterable {
        case firstFirst = "added first first"
        case lastFirst = "added last first"
    }

    /// The name of the workload of one chain.
    static func name(_ order: Order) -> String { "dependency chain, \(order.rawValue)" }

    /// One chain on either kind of queue, or, where `OperationQueue` would take minutes, without
    /// it.
    static func workload(_ order: Order, size: Int, operationQueue: Bool) -> Workload {
        let taskQueue = Variant.cost(VariantName.taskQueue) { trial in
            run(on: TaskQueue(), order, trial) { CountedTask($0) }
        }
        let reference = Variant.cost(VariantName.operationQueue) { trial in
            run(on: OperationQueue(), order, trial) { completions in
                BlockOperation { completions.complete() }
            }
        }
        return Workload(
            name(order),
            size: size,
            baseline: operationQueue ? VariantName.operationQueue : VariantName.taskQueue,
            rounds: operationQueue ? 5 : 2,
            variants: operationQueue ? [taskQueue, reference] : [taskQueue]
        )
    }

    /// Long chains against short ones, with equally many operations alive.
    ///
    /// The members lie in memory, and run, in the same order whatever the length: short chains run
    /// side by side on a queue of width 1, each chain's second member after every chain's first.
    static func growth(_ order: Order, size: Int, short: Int) -> Workload {
        Workload(
            "long dependency chain, \(order.rawValue)",
            size: size,
            baseline: chains(of: short),
            variants: [short, size]
                .map { length in
                    .cost(chains(of: length)) { trial in
                        let queue = TaskQueue(maxConcurrentOperationCount: 1)
                        run(on: queue, order, chainCount: max(1, trial.size / length), trial) {
                            CountedTask($0)
                        }
                    }
                }
        )
    }

    /// The name of the variant of ``growth(_:size:short:)`` with chains of a length.
    static func chains(of length: Int) -> String {
        "TaskQueue, chains of \(NumberText.grouped(length))"
    }

    /// Makes, adds and runs chains side by side; creating and releasing them is not timed.
    static func run<Member: Operation>(
        on queue: some BenchmarkQueue,
        _ order: Order,
        chainCount: Int = 1,
        _ trial: CostTrial,
        makeMember: (Completions) -> Member
    ) {
        let members = (0..<trial.size).map { _ in makeMember(trial.completions) }
        trial.time {
            for (earlier, later) in zip(members, members.dropFirst(chainCount)) {
                later.addDependency(earlier)
            }
            switch order {
            case .firstFirst: for member in members { queue.addOperation(member) }
            case .lastFirst: for member in members.reversed() { queue.addOperation(member) }
            }
        }
        queue.drain()
    }
}
