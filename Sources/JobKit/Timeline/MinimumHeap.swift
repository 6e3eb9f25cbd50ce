/// Hands out the smallest of its elements, in logarithmic time.
struct MinimumHeap<Element: Comparable> {
    private var elements: [Element] = []

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popMinimum() -> Element? {
        guard elements.count > 1 else { return elements.popLast() }
        elements.swapAt(0, elements.count - 1)
        let minimum = elements.removeLast()
        var parent = 0
        while let child = smallerChild(of: parent), elements[child] < elements[parent] {
            elements.swapAt(child, parent)
            parent = child
        }
        return minimum
    }

    private func smallerChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        let right = left + 1
        guard left < elements.count else { return nil }
        return right < elements.count && elements[right] < elements[left] ? right : left
    }
}
