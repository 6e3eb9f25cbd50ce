import Foundation

/// The operations that one operation depends on, in the order added, each once.
///
/// Adding and removing cost constant time: the indices of many are looked up, and a removed one
/// leaves a gap, which is closed when half of the array is gaps.
struct OperationDependencies {
    /// A dependency, and the wait for it.
    struct Dependency {
        let operation: Operation
        let edge: DependencyEdge
    }

    private var dependencies: [Dependency?] = []
    /// Built only when a linear search would cost more.
    private var indices: [ObjectIdentifier: Int] = [:]
    private(set) var count = 0

    private static let linearSearchLimit = 16

    /// In the order added.
    var operations: [Operation] { dependencies.compactMap { $0?.operation } }

    func contains(_ operation: Operation) -> Bool { index(of: operation) != nil }

    /// Keeps the edge that `make` returns, unless the operation is among the dependencies.
    mutating func insert(
        _ operation: Operation,
        _ make: () -> DependencyEdge
    ) -> DependencyEdge? {
        guard !contains(operation) else { return nil }
        let edge = make()
        if !indices.isEmpty { indices[ObjectIdentifier(operation)] = dependencies.count }
        dependencies.append(Dependency(operation: operation, edge: edge))
        count += 1
        if indices.isEmpty, dependencies.count > Self.linearSearchLimit { buildIndices() }
        return edge
    }

    /// Returns nil if the operation was not among the dependencies.
    mutating func remove(_ operation: Operation) -> DependencyEdge? {
        guard let index = index(of: operation) else { return nil }
        let removed = dependencies[index].take()
        indices[ObjectIdentifier(operation)] = nil
        count -= 1
        closeGaps()
        return removed?.edge
    }

    /// Takes everything, so that the owner can release it without recursion.
    mutating func removeAll() -> [Dependency] {
        exchange(&self, with: Self()).dependencies.compactMap { $0 }
    }

    private func index(of operation: Operation) -> Int? {
        indices.isEmpty
            ? dependencies.firstIndex { $0?.operation === operation }
            : indices[ObjectIdentifier(operation)]
    }

    private mutating func closeGaps() {
        guard 2 * count <= dependencies.count else { return }
        dependencies.removeAll { $0 == nil }
        indices = [:]
        if count > Self.linearSearchLimit { buildIndices() }
    }

    private mutating func buildIndices() {
        for (index, dependency) in dependencies.enumerated() {
            guard let dependency else { continue }
            indices[ObjectIdentifier(dependency.operation)] = index
        }
    }
}
