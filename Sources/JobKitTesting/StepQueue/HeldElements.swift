/// What a ``StepQueue`` holds, in the order added.
///
/// Adding, taking out and drawing one take constant time on average.
struct HeldElements<Element: AnyObject> {
    /// Nil for what was taken out; at most as many of those as are left, and sixteen.
    private var slots: [Element?] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    /// All slots before it are empty.
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

    /// Takes an element out; returns false if it is not held.
    mutating func remove(_ element: Element) -> Bool {
        guard let index = indices.removeValue(forKey: ObjectIdentifier(element)) else {
            return false
        }
        slots[index] = nil
        while head < slots.count, slots[head] == nil { head += 1 }
        if slots.count > 2 * count + 16 { closeUp() }
        return true
    }

    /// Draws one of the elements, each as likely as any other; nil if there is none.
    func random(using generator: inout some RandomNumberGenerator) -> Element? {
        guard count > 0 else { return nil }
        while true {
            let index = Int.random(in: head..<slots.count, using: &generator)
            if let element = slots[index] { return element }
        }
    }

    private mutating func closeUp() {
        slots = slots[head...].filter { $0 != nil }
        head = 0
        for (index, element) in slots.enumerated() {
            if let element { indices[ObjectIdentifier(element)] = index }
        }
    }
}
