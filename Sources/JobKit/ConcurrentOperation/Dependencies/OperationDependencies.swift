import Foundation

/// The dependencies of one operation, each once, in the order added.
struct OperationDependencies: Sendable {
    typealias Dependency = (operation: Operation, edge: DependencyEdge)

    /// How many have not finished.
    let unfinished: WaitGroup
    private var dependencies = OrderedMap<Dependency>()

    /// Creates dependencies that call `body` each time the last unfinished one finishes.
    init(_ body: @escaping @Sendable () -> Void) {
        unfinished = WaitGroup(body)
    }

    /// The dependencies, in the order added.
    var operations: [Operation] { dependencies.values.map { $0.operation } }

    /// Adds an operation.
    ///
    /// - Returns: Its edge, or nil if the operation is already a dependency.
    mutating func insert(_ operation: Operation) -> DependencyEdge? {
        guard dependencies[operation] == nil else { return nil }
        let edge = DependencyEdge(unfinished)
        dependencies.add((operation, edge), for: operation)
        return edge
    }

    /// Removes a dependency, and returns its edge, or nil if the operation was no dependency.
    mutating func remove(_ operation: Operation) -> DependencyEdge? {
        dependencies.remove(operation)?.edge
    }

    /// Removes and returns all dependencies, so that the owner can release them without recursion.
    mutating func removeAll() -> [Dependency] {
        exchange(&dependencies, with: OrderedMap()).values
    }

    /// Ends the waits for dependencies, without making the operation ready.
    static func leave(_ dependencies: [Dependency]) {
        for (operation, edge) in dependencies where edge.leave() { operation.dependentLeft(edge) }
    }
}
