import Foundation

/// A ``KeyedQueue`` that adds every operation with the same keys.
final class KeyedView: PassingQueue {
    private let shell: KeyedQueueShell
    private let keys: [AnyKey]
    private let duplicates: DuplicatePolicy
    private let target: (any OperationScheduling)?

    init(
        of shell: KeyedQueueShell,
        keys: [AnyKey] = [],
        duplicates: DuplicatePolicy,
        on target: (any OperationScheduling)?
    ) {
        self.shell = shell
        self.keys = keys
        self.duplicates = duplicates
        self.target = target
    }

    var queueBelow: any OperationScheduling { target ?? shell.queueBelow }

    func addOperation(_ operation: Operation) { add(operation, mayHaveStarted: false) }

    func add(_ operation: Operation, mayHaveStarted: Bool) {
        _ = shell.add(
            operation,
            keys: keys,
            duplicates: duplicates,
            on: target,
            mayHaveStarted: mayHaveStarted
        )
    }

    func reasonNotStarted(_ operation: Operation) -> String? {
        shell.reason(operation, below: queueBelow)
    }
}
