import Foundation

/// The operations that one operation depends on, in the order added, each once.
///
/// Adding and removing cost constant time: the places of many are looked up, and a removed one
/// leaves its place empty until half of the places are.
struct OperationDependencies {
    /// A dependency, and the wait for it.
    struct Dependency {
        let operation: Operation
        let edge: DependencyEdge
    }

    private var dependencies: [Dependency?] = []
    /// Built only when a linear search would cost more.
    private var places: [ObjectIdentifier: Int] = [:]
    private(set) var count = 0

    private static let linearSearchLimit = 16

    /// In the order added.
    var operations: [Operation] { dependencies.compactMap { $0?.operation } }

    func contains(_ operation: Operation) -> Bool { place(of: operation) != nil }

    /// Keeps the edge that `make` returns, unless the operation is among the dependencies.
    mutating func insert(
        _ operation: Operation,
        _ make: () -> DependencyEdge
    ) -> DependencyEdge? {
        guard !contains(operation) else { return nil }
        let edge = make()
        if !places.isEmpty { places[ObjectIdentifier(operation)] = dependencies.count }
        dependencies.append(Dependency(operation: operation, edge: edge))
        count += 1
        if places.isEmpty, dependencies.count > Self.linearSearchLimit { indexPlaces() }
        return edge
    }

    /// Returns nil if the operation was not among the dependencies.
    mutating func remove(_ operation: Operation) -> DependencyEdge? {
        guard let place = place(of: operation) else { return nil }
        let removed = dependencies[place].take()
        places[ObjectIdentifier(operation)] = nil
        count -= 1
        closeGaps()
        return removed?.edge
    }

    /// Takes everything, so that the owner can release it without recursion.
    mutating func removeAll() -> [Dependency] {
        exchange(&self, with: Self()).dependencies.compactMap { $0 }
    }

    private func place(of operation: Operation) -> Int? {
        places.isEmpty
            ? dependencies.firstIndex { $0?.operation === operation }
            : places[ObjectIdentifier(operation)]
    }

    private mutating func closeGaps() {
        guard 2 * count <= dependencies.count else { return }
        dependencies.removeAll { $0 == nil }
        places = [:]
        if count > Self.linearSearchLimit { indexPlaces() }
    }

    private mutating func indexPlaces() {
        for (place, dependency) in dependencies.enumerated() {
            guard let dependency else { continue }
            places[ObjectIdentifier(dependency.operation)] = place
        }
    }
}
