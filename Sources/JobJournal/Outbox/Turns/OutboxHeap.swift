import JobKit

/// JobKit's heap, for state machine files, which import nothing.
typealias OutboxHeap<Element: Comparable> = MinHeap<Element>
