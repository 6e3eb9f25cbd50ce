/// What a search of a graph of objects has still to visit, each object once.
struct Walk<Node: AnyObject> {
    private var pending: [Node] = []
    private var seen: Set<ObjectIdentifier> = []
    /// What the walk has cost.
    private(set) var steps = 0

    init(_ nodes: [Node]) {
        add(nodes)
    }

    /// The node to visit next; nil: the walk is complete.
    var next: Node? { pending.last }

    /// The next node was visited, at the cost of some steps, and led to others.
    mutating func visited(_ found: [Node], steps: Int = 1) {
        pending.removeLast()
        self.steps += steps
        add(found)
    }

    private mutating func add(_ nodes: [Node]) {
        pending += nodes.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
