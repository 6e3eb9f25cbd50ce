/// The edges of those who wait for one operation, in the order added.
///
/// Removed ones stay until they are as many as the others, so that a removal costs constant time.
struct DependentEdges: Sendable {
    private(set) var edges: [DependencyEdge] = []
    private var removedCount = 0

    private static let fewest = 16

    /// Keeps an edge, unless it was removed before it was registered.
    mutating func insert(_ edge: DependencyEdge) {
        if !edge.isOver { edges.append(edge) }
    }

    /// An edge is over that may be among these.
    ///
    /// - Returns: The edges that were here, if some go now, to be released with no lock held.
    mutating func edgeRemoved() -> [DependencyEdge] {
        removedCount += 1
        guard removedCount >= Self.fewest, 2 * removedCount >= edges.count else { return [] }
        let before = edges
        edges.removeAll(where: \.isOver)
        removedCount = 0
        return before
    }
}
