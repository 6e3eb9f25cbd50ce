/// A first-in first-out list that appends and removes in constant time.
///
/// It frees memory when few elements are left.
struct FIFO<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { count == 0 ? nil : slots[head] }

    mutating func append(_ element: Element) {
        if count == slots.count { resize(to: max(8, count * 2)) }
        slots[slot(count)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
        shrink()
        return element
    }

    /// Whether any element satisfies a condition, checked from the first to the last.
    func contains(where condition: (Element) -> Bool) -> Bool {
        (0..<count).contains { index in slots[slot(index)].map(condition) == true }
    }

    var elements: [Element] {
        (0..<count).compactMap { slots[slot($0)] }
    }

    /// Removes elements, but keeps the order of the others.
    mutating func removeAll(where isStale: (Element) -> Bool) {
        var kept = 0
        for index in 0..<count {
            guard let element = slots[slot(index)].take(), !isStale(element) else { continue }
            slots[slot(kept)] = element
            kept += 1
        }
        count = kept
        shrink()
    }

    private func slot(_ index: Int) -> Int { (head + index) & (slots.count - 1) }

    /// A list with up to 256 slots keeps them, because a list that grows and shrinks all the time
    /// would copy them again and again.
    @inline(__always)
    private mutating func shrink() {
        guard count < slots.count / 8, slots.count > 256 else { return }
        resize(to: 1 << (Int.bitWidth - (count * 2 | 7).leadingZeroBitCount))
    }

    /// Changes the capacity, which is always a power of two.
    ///
    /// Copies each element, because converting an array of `Element` to one of `Element?` would be
    /// a cast at run time.
    private mutating func resize(to capacity: Int) {
        var resized = ContiguousArray<Element?>()
        resized.reserveCapacity(capacity)
        for index in 0..<count { resized.append(slots[slot(index)].take()) }
        for _ in count..<capacity { resized.append(nil) }
        slots = resized
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
