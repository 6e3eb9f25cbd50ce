import Foundation

/// The dependencies of one operation, each once, in the order added.
///
/// Adding and removing take constant time. If there are many dependencies, a dictionary has their
/// indices. Removing one leaves a gap, and the gaps are closed when half of the array is gaps.
struct OperationDependencies: Sendable {
    typealias Dependency = (operation: Operation, edge: DependencyEdge)

    /// How many have not finished.
    let unfinished: DependencyCount
    private var dependencies: [Dependency?] = []
    /// Empty as long as a linear search costs less.
    private var indices: [ObjectIdentifier: Int] = [:]
    private(set) var count = 0

    private static let linearSearchLimit = 16

    /// Creates dependencies that call `body` each time the last unfinished one finishes.
    init(_ body: @escaping @Sendable () -> Void) {
        unfinished = DependencyCount(body)
    }

    /// The dependencies, in the order added.
    var operations: [Operation] { dependencies.compactMap { $0?.operation } }

    func contains(_ operation: Operation) -> Bool { index(of: operation) != nil }

    /// Adds an operation.
    ///
    /// - Returns: Its edge, or nil if the operation is already a dependency.
    mutating func insert(_ operation: Operation) -> DependencyEdge? {
        guard !contains(operation) else { return nil }
        let edge = DependencyEdge(unfinished)
        if !indices.isEmpty { indices[ObjectIdentifier(operation)] = dependencies.count }
        dependencies.append((operation, edge))
        count += 1
        if indices.isEmpty, dependencies.count > Self.linearSearchLimit { buildIndices() }
        return edge
    }

    /// Removes a dependency, and returns its edge, or nil if the operation was no dependency.
    mutating func remove(_ operation: Operation) -> DependencyEdge? {
        guard let index = index(of: operation) else { return nil }
        let removed = dependencies[index].take()
        indices[ObjectIdentifier(operation)] = nil
        count -= 1
        closeGaps()
        return removed?.edge
    }

    /// Removes and returns all dependencies, so that the owner can release them without recursion.
    mutating func removeAll() -> [Dependency] {
        (indices, count) = ([:], 0)
        return exchange(&dependencies, with: []).compactMap { $0 }
    }

    /// Ends the waits for dependencies, without making the operation ready.
    static func leave(_ dependencies: [Dependency]) {
        for dependency in dependencies where dependency.edge.leave() {
            dependency.operation.dependentLeft()
        }
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
