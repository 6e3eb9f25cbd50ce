/// Those that hear of one operation's finish, in the order added: listeners, or dependents' edges.
///
/// An element that has left stays in the array until half of them have, so that leaving costs
/// constant time.
struct FinishList<Element: FinishListElement>: Sendable {
    /// Those that have left too.
    private(set) var elements: [Element] = []
    // In four bytes each, so that what is known of a plain operation stays small.
    private var goneCount: UInt32 = 0
    /// All before it have left.
    private var head: UInt32 = 0

    /// Those that have not left.
    var present: [Element] { elements.filter { !$0.hasLeft } }

    /// Whether all have left; costs constant time on average.
    mutating func isEmpty() -> Bool {
        while head < elements.count, elements[Int(head)].hasLeft { head += 1 }
        return head == elements.count
    }

    /// Keeps an element, unless it has left before.
    mutating func append(_ element: Element) {
        if !element.hasLeft { elements.append(element) }
    }

    /// An element has left that may be among these.
    ///
    /// - Returns: The elements that were here, if some go now, to be released with no lock held.
    mutating func elementLeft() -> [Element] {
        goneCount += 1
        guard isEmpty() || 2 * Int(goneCount) >= elements.count else { return [] }
        let before = elements
        elements = isEmpty() ? [] : present
        (goneCount, head) = (0, 0)
        return before
    }

    /// The first of those that have not left.
    func first(_ limit: Int, otherThan element: Element) -> [Element] {
        var found: [Element] = []
        for other in elements[Int(head)...] where other !== element {
            guard !other.hasLeft else { continue }
            if found.count == limit { break }
            found.append(other)
        }
        return found
    }
}

/// What stands in a ``FinishList`` until it leaves, for good.
protocol FinishListElement: AnyObject, Sendable {
    var hasLeft: Bool { get }
}
