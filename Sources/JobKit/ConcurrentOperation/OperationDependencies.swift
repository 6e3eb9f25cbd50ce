import Foundation

/// The operations that one operation depends on, in the order added, each once.
struct OperationDependencies {
    private(set) var operations: [Operation] = []
    /// Built only when a linear search would cost more.
    private var known: Set<ObjectIdentifier> = []
    private var hooks: [ObjectIdentifier: FinishHook] = [:]

    private static let linearSearchLimit = 16

    func contains(_ operation: Operation) -> Bool {
        known.isEmpty
            ? operations.contains { $0 === operation }
            : known.contains(ObjectIdentifier(operation))
    }

    /// Returns whether the operation was not among the dependencies.
    mutating func insert(_ operation: Operation) -> Bool {
        guard !contains(operation) else { return false }
        operations.append(operation)
        if !known.isEmpty {
            known.insert(ObjectIdentifier(operation))
        } else if operations.count > Self.linearSearchLimit {
            known = Set(operations.map(ObjectIdentifier.init))
        }
        return true
    }

    /// Keeps the hook that tells when `operation`, a plain `Operation`, finishes.
    mutating func keep(_ hook: FinishHook, for operation: Operation) {
        hooks[ObjectIdentifier(operation)] = hook
    }

    /// Returns whether the operation was among the dependencies, and its hook if it has one.
    mutating func remove(_ operation: Operation) -> (wasPresent: Bool, hook: FinishHook?) {
        guard let index = operations.firstIndex(where: { $0 === operation }) else {
            return (false, nil)
        }
        operations.remove(at: index)
        known.remove(ObjectIdentifier(operation))
        if operations.isEmpty { known = [] }
        return (true, hooks.removeValue(forKey: ObjectIdentifier(operation)))
    }

    /// Takes everything, so that the owner can release it without recursion.
    mutating func removeAll() -> (operations: [Operation], hooks: [FinishHook]) {
        defer { self = Self() }
        return (operations, Array(hooks.values))
    }
}
