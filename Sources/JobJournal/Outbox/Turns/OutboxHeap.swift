import JobKit

/// JobKit's heap, for state machine files, which import nothing.
typealias OutboxHeap<Rank: Comparable & Sendable> = MinHeap<OutboxRanked<Rank>>

/// An entry or a key in a heap, ordered by its rank.
struct OutboxRanked<Rank: Comparable & Sendable>: Comparable, Sendable {
    let rank: Rank
    let id: UInt64

    static func < (left: OutboxRanked, right: OutboxRanked) -> Bool { left.rank < right.rank }
}
