import Foundation
import JobKit

/// A grid in which each operation depends on its upper and its left neighbour.
enum DiamondGrid {
    static let name = "diamond grid"

    /// Returns the workload of a square grid with `side` operations along each side.
    static func workload(side: Int) -> Workload {
        Workload(
            name,
            size: side * side,
            rounds: 3,
            variants: [
                variant(on: .taskQueue, side) { CountedTask($0) },
                variant(on: .operationQueue, side) { completions in
                    BlockOperation { completions.complete() }
                },
            ]
        )
    }

    private static func variant<Member: Operation>(
        on kind: QueueKind,
        _ side: Int,
        makeMember: @escaping @Sendable (Completions) -> Member
    ) -> Variant {
        .cost(kind.queueName) { trial in
            let queue = kind.make()
            let completions = trial.completions
            let members = (0..<trial.size).map { _ in makeMember(completions) }
            trial.time {
                for (place, member) in members.enumerated() {
                    if place >= side { member.addDependency(members[place - side]) }
                    if !place.isMultiple(of: side) { member.addDependency(members[place - 1]) }
                }
                for member in members { queue.addOperation(member) }
            }
            queue.drain()
        }
    }
}
