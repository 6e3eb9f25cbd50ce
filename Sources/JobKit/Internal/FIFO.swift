/// A first-in first-out list: appends and removes at the ends in constant time.
struct FIFO<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { count == 0 ? nil : slots[head] }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    /// The elements, first in first.
    var elements: [Element] {
        (0..<count).compactMap { slots[(head + $0) & (slots.count - 1)] }
    }

    mutating func removeAll(where isVoid: (Element) -> Bool) {
        let elements = elements
        self = Self()
        for element in elements where !isVoid(element) { append(element) }
    }

    /// Doubles the capacity, which is always a power of two.
    private mutating func grow() {
        let elements = elements
        slots = ContiguousArray(elements)
        slots.append(contentsOf: repeatElement(nil, count: max(8, count * 2) - count))
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
