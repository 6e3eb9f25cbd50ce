import Foundation
import JobKit

/// One operation that depends on all others.
enum FanIn {
    static let name = "fan-in"

    /// Returns the workload.
    ///
    /// It can leave out `OperationQueue`, for which some sizes are too large.
    static func workload(size: Int, operationQueue: Bool) -> Workload {
        let taskQueue = variant(on: .taskQueue) { CountedTask($0) }
        let reference = variant(on: .operationQueue) { completions in
            BlockOperation { completions.complete() }
        }
        return Workload(
            name,
            size: size,
            baseline: operationQueue ? VariantName.operationQueue : VariantName.taskQueue,
            rounds: operationQueue ? 5 : 3,
            variants: operationQueue ? [taskQueue, reference] : [taskQueue]
        )
    }

    private static func variant<Member: Operation>(
        on kind: QueueKind,
        makeMember: @escaping @Sendable (Completions) -> Member
    ) -> Variant {
        .cost(kind.queueName) { trial in
            let queue = kind.make()
            let completions = trial.completions
            let members = (1..<trial.size).map { _ in makeMember(completions) }
            let last = makeMember(completions)
            trial.time {
                for member in members { last.addDependency(member) }
                queue.addOperation(last)
                for member in members { queue.addOperation(member) }
            }
            queue.drain()
        }
    }
}
