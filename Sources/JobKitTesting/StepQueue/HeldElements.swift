/// The elements that a ``StepQueue`` holds, in the order in which they were added.
///
/// Adding, removing and picking an element take constant time on average.
struct HeldElements<Element: AnyObject> {
    /// The elements, with nil for each removed one.
    ///
    /// There are at most 16 more nils than elements.
    private var slots: [Element?] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    /// The index of the first slot that is not empty.
    private var head = 0

    var count: Int { indices.count }

    var all: [Element] { slots[head...].compactMap { $0 } }

    var first: Element? { head < slots.count ? slots[head] : nil }

    func holds(_ element: Element) -> Bool { indices[ObjectIdentifier(element)] != nil }

    /// Adds an element, unless it is held already.
    mutating func append(_ element: Element) {
        guard indices[ObjectIdentifier(element)] == nil else { return }
        indices[ObjectIdentifier(element)] = slots.count
        slots.append(element)
    }

    /// Removes an element.
    ///
    /// Returns false if the element is not held.
    mutating func remove(_ element: Element) -> Bool {
        guard let index = indices.removeValue(forKey: ObjectIdentifier(element)) else {
            return false
        }
        slots[index] = nil
        while head < slots.count, slots[head] == nil { head += 1 }
        if slots.count > 2 * count + 16 { closeUp() }
        return true
    }

    /// Picks one of the elements, all with the same probability.
    ///
    /// Nil if there are no elements.
    func random(using generator: inout some RandomNumberGenerator) -> Element? {
        guard count > 0 else { return nil }
        while true {
            let index = Int.random(in: head..<slots.count, using: &generator)
            if let element = slots[index] { return element }
        }
    }

    /// Removes the empty slots.
    private mutating func closeUp() {
        slots = slots[head...].filter { $0 != nil }
        head = 0
        for (index, element) in slots.enumerated() {
            if let element { indices[ObjectIdentifier(element)] = index }
        }
    }
}
