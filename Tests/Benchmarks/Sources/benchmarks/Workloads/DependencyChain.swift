import Foundation
import JobKit

/// A chain of operations that each depend on the previous one.
enum DependencyChain {
    /// The order in which the members of a chain are added.
    enum Order: String, CaseIterable {
        case firstFirst = "added first first"
        case lastFirst = "added last first"
    }

    /// Returns the name of the workload of one chain.
    static func name(_ order: Order) -> String { "dependency chain, \(order.rawValue)" }

    /// Returns the workload of one chain.
    ///
    /// It can leave out `OperationQueue`, which would take minutes for some sizes.
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

    /// Compares long chains with short ones, with an equal number of operations.
    ///
    /// For any length, the members have the same order in memory and run in that order. Short
    /// chains run side by side on a queue limited to 1, so the second member of every chain follows
    /// the first members of all chains.
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

    /// Returns the name of a variant of ``growth(_:size:short:)`` with chains of the given length.
    static func chains(of length: Int) -> String {
        "TaskQueue, chains of \(NumberText.grouped(length))"
    }

    /// Makes, adds and runs chains side by side.
    ///
    /// Creating and releasing them is not timed.
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
