import JobKit

/// A heap of JobKit, for state machines, which import nothing.
typealias OutboxHeap<Element: Comparable> = MinHeap<Element>
