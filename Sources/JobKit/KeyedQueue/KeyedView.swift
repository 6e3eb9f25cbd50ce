import Foundation

/// A ``KeyedQueue`` that adds every operation with the same keys.
final class KeyedView: PassingQueue {
    private let shell: KeyedQueueShell
    private let keys: ShortList<AnyKey>
    private let duplicates: DuplicatePolicy
    let queueBelow: any OperationScheduling

    init(
        of shell: KeyedQueueShell,
        keys: ShortList<AnyKey>,
        _ duplicates: DuplicatePolicy,
        on queue: any OperationScheduling
    ) {
        self.shell = shell
        self.keys = keys
        self.duplicates = duplicates
        queueBelow = queue
    }

    func addOperation(_ operation: Operation) { add(operation, mayHaveStarted: false) }

    func add(_ operation: Operation, mayHaveStarted: Bool) {
        _ = shell.add(operation, keys, duplicates, on: queueBelow, mayHaveStarted: mayHaveStarted)
    }

    func reasonNotStarted(_ operation: Operation) -> String? {
        shell.reason(operation, below: queueBelow)
    }
}
