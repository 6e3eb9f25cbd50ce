/// Searches a graph of objects, and visits each object once.
struct Walk<Node: AnyObject> {
    private var pending: [Node] = []
    private var seen: Set<ObjectIdentifier> = []
    /// The total cost of the visits.
    private(set) var steps = 0

    init(_ nodes: [Node]) {
        add(nodes)
    }

    /// The next node to visit, or nil if the walk is complete.
    var next: Node? { pending.last }

    /// Records a visit to the next node.
    ///
    /// - Parameters:
    ///   - found: The nodes to which it leads.
    ///   - steps: The cost of the visit.
    mutating func visited(_ found: [Node], steps: Int = 1) {
        pending.removeLast()
        self.steps += steps
        add(found)
    }

    private mutating func add(_ nodes: [Node]) {
        pending += nodes.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
