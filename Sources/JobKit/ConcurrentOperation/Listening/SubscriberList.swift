/// The listeners of an operation's completion, or the edges of its dependents, in the order added.
///
/// Elements that have left stay in the array until half of all elements have left. Therefore,
/// leaving takes constant time on average.
struct SubscriberList<Element: Subscriber>: Sendable {
    /// The elements, including some that have left.
    private(set) var elements: [Element] = []
    // Counts have only four bytes each, to keep the entry of a plain operation small.
    private var goneCount: UInt32 = 0
    /// The number of elements at the front that are known to have left.
    private var head: UInt32 = 0

    /// The elements that have not left.
    var present: [Element] { elements.filter { !$0.hasLeft } }

    /// Whether all elements have left.
    ///
    /// Takes constant time on average.
    mutating func isEmpty() -> Bool {
        while head < elements.count, elements[Int(head)].hasLeft { head += 1 }
        return head == elements.count
    }

    /// Appends an element, unless it has already left.
    mutating func append(_ element: Element) {
        if !element.hasLeft { elements.append(element) }
    }

    /// Counts an element that has left and may be in this list.
    ///
    /// - Returns: The old elements if the array was compacted. Release them with no lock held.
    mutating func elementLeft() -> [Element] {
        goneCount += 1
        guard isEmpty() || 2 * Int(goneCount) >= elements.count else { return [] }
        let before = elements
        elements = isEmpty() ? [] : present
        (goneCount, head) = (0, 0)
        return before
    }

    /// The first elements that have not left, except the given one.
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

/// An element of a ``SubscriberList``, which leaves at most once and never returns.
protocol Subscriber: AnyObject, Sendable {
    var hasLeft: Bool { get }
}
