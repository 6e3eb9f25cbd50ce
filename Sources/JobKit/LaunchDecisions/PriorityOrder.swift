/// The numbers from 0 on in an order that can change; finds the first with a mark.
///
/// Every call takes logarithmic time: a search tree by place that is a heap by weights which look
/// random, and so stays flat.
///
/// > Source: R. Seidel and C. Aragon, "Randomized Search Trees", Algorithmica 16, 1996.
struct PriorityOrder: Sendable {
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt8

        static let presentable = Marks(rawValue: 1)
        static let unknown = Marks(rawValue: 2)
    }

    private enum Side: Sendable {
        case left
        case right

        var other: Side { self == .left ? .right : .left }
    }

    private struct Node: Sendable {
        var left: Int?
        var right: Int?
        var parent: Int?
        let weight: UInt64
        var marks: Marks
        /// The marks of the node and all below it.
        var allMarks: Marks
        /// The node and all below it.
        var count = 1

        subscript(side: Side) -> Int? {
            get { side == .left ? left : right }
            set { if side == .left { left = newValue } else { right = newValue } }
        }
    }

    private var nodes: [Node] = []
    private var root: Int?

    /// Orders the numbers below `count` as they are, each with the same marks.
    init(count: Int, marks: Marks) {
        nodes.reserveCapacity(count)
        for number in 0..<count {
            let weight = Self.weight(of: number)
            nodes.append(Node(weight: weight, marks: marks, allMarks: marks))
            attach(number, to: number == 0 ? nil : number - 1, at: .right)
        }
    }

    /// > Source: the finalizer of SplitMix64, by S. Vigna.
    private static func weight(of number: Int) -> UInt64 {
        var mixed = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    // MARK: Asking

    func first(with mark: Marks) -> Int? {
        guard var node = root, nodes[node].allMarks.contains(mark) else { return nil }
        while true {
            if let left = nodes[node].left, nodes[left].allMarks.contains(mark) {
                node = left
            } else if !nodes[node].marks.contains(mark), let right = nodes[node].right {
                node = right
            } else {
                return node
            }
        }
    }

    func isBefore(_ number: Int, _ other: Int) -> Bool {
        place(of: number) < place(of: other)
    }

    private func place(of number: Int) -> Int {
        var place = count(nodes[number].left)
        var node = number
        while let parent = nodes[node].parent {
            if nodes[parent].right == node { place += count(nodes[parent].left) + 1 }
            node = parent
        }
        return place
    }

    private func count(_ node: Int?) -> Int { node.map { nodes[$0].count } ?? 0 }

    // MARK: Changing

    mutating func setMarks(_ marks: Marks, of number: Int) {
        nodes[number].marks = marks
        refreshUpwards(from: number)
    }

    /// Moves a number to directly before another.
    mutating func move(_ number: Int, before other: Int) {
        guard number != other else { return }
        detach(number)
        guard var last = nodes[other].left else { return attach(number, to: other, at: .left) }
        while let right = nodes[last].right { last = right }
        attach(number, to: last, at: .right)
    }

    private mutating func attach(_ number: Int, to parent: Int?, at side: Side) {
        nodes[number].parent = parent
        guard let parent else {
            root = number
            return refreshUpwards(from: number)
        }
        nodes[parent][side] = number
        refreshUpwards(from: number)
        while let parent = nodes[number].parent, nodes[parent].weight < nodes[number].weight {
            rotate(number, above: parent)
        }
    }

    private mutating func detach(_ number: Int) {
        while let child = heavierChild(of: number) { rotate(child, above: number) }
        let parent = nodes[number].parent
        replace(number, by: nil, below: parent)
        nodes[number].parent = nil
        if let parent { refreshUpwards(from: parent) }
    }

    private func heavierChild(of number: Int) -> Int? {
        guard let left = nodes[number].left else { return nodes[number].right }
        guard let right = nodes[number].right else { return left }
        return nodes[left].weight < nodes[right].weight ? right : left
    }

    /// Lifts a child above its parent; the order stays.
    private mutating func rotate(_ child: Int, above parent: Int) {
        let side = nodes[parent].left == child ? Side.left : .right
        let (inner, above) = (nodes[child][side.other], nodes[parent].parent)
        nodes[parent][side] = inner
        if let inner { nodes[inner].parent = parent }
        nodes[child][side.other] = parent
        nodes[parent].parent = child
        nodes[child].parent = above
        replace(parent, by: child, below: above)
        refresh(parent)
        refresh(child)
    }

    private mutating func replace(_ old: Int, by new: Int?, below parent: Int?) {
        guard let parent else {
            root = new
            return
        }
        nodes[parent][nodes[parent].left == old ? .left : .right] = new
    }

    private mutating func refreshUpwards(from number: Int) {
        var node = Optional(number)
        while let current = node {
            refresh(current)
            node = nodes[current].parent
        }
    }

    private mutating func refresh(_ node: Int) {
        var (marks, count) = (nodes[node].marks, 1)
        if let left = nodes[node].left {
            marks.formUnion(nodes[left].allMarks)
            count += nodes[left].count
        }
        if let right = nodes[node].right {
            marks.formUnion(nodes[right].allMarks)
            count += nodes[right].count
        }
        nodes[node].allMarks = marks
        nodes[node].count = count
    }
}
