/// A binary heap with the smallest element on top.
package struct MinHeap<Element: Comparable> {
    private var elements: ContiguousArray<Element> = []

    package init() {}

    package var count: Int { elements.count }

    package var first: Element? { elements.first }

    package func contains(where condition: (Element) -> Bool) -> Bool {
        elements.contains(where: condition)
    }

    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    package mutating func popFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        sink()
        return first
    }

    package mutating func removeAll(where isStale: (Element) -> Bool) {
        // Sorted, because a sorted array is a heap.
        elements.removeAll(where: isStale)
        elements.sort()
    }

    private mutating func sink() {
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < elements.count else { return }
            let right = left + 1
            let isRightSmaller = right < elements.count && elements[right] < elements[left]
            let child = isRightSmaller ? right : left
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            parent = child
        }
    }
}

extension MinHeap: Sendable where Element: Sendable {}
