import Foundation
import JobKit

/// Operations of which each depends on the one before.
enum DependencyChain {
    /// In which order the members of a chain are added.
    enum Order: String, CaseIterable {
        case firstFirst = "added first first"
        case lastFirst = "added last first"
    }

    /// One chain, on either kind of queue.
    static func workload(_ order: Order, size: Int) -> Workload {
        Workload(
            "dependency chain, \(order.rawValue)",
            size: size,
            variants: [
                variant(on: .taskQueue, order, length: size) {
                    CountedTask($0)
                },
                variant(on: .operationQueue, order, length: size) {
                    completions in BlockOperation { completions.complete() }
                },
            ]
        )
    }

    /// Long chains against short ones, with equally many operations alive.
    ///
    /// The short chains run one after another, as one long chain does: the only difference is the
    /// length, and a wake-up of the measuring thread for each chain, which the short ones pay.
    static func growth(_ order: Order, size: Int, short: Int) -> Workload {
        Workload(
            "long dependency chain, \(order.rawValue)",
            size: size,
            baseline: chains(of: short),
            variants: [short, size]
                .map { length in
                    variant(named: chains(of: length), on: .taskQueue, order, length: length) {
                        CountedTask($0)
                    }
                }
        )
    }

    /// The name of the variant of ``growth(_:size:short:)`` with chains of a length.
    static func chains(of length: Int) -> String {
        "TaskQueue, chains of \(NumberText.grouped(length))"
    }

    private static func variant<Member: Operation>(
        named name: String? = nil,
        on kind: QueueKind,
        _ order: Order,
        length: Int,
        makeMember: @escaping @Sendable (Completions) -> Member
    ) -> Variant {
        .cost(name ?? kind.queueName) { trial in
            let queue = kind.make()
            let completions = trial.completions
            let members = (0..<trial.size).map { _ in makeMember(completions) }
            trial.time {
                for start in stride(from: 0, to: members.count, by: length) {
                    let chain = members[start..<min(start + length, members.count)]
                    for (earlier, later) in zip(chain, chain.dropFirst()) {
                        later.addDependency(earlier)
                    }
                    switch order {
                    case .firstFirst: for member in chain { queue.addOperation(member) }
                    case .lastFirst: for member in chain.reversed() { queue.addOperation(member) }
                    }
                    queue.drain()
                }
            }
        }
    }
}
