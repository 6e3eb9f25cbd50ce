import JobKit

/// Those who wait for something that grows, the ones with the smallest key first.
///
/// One that is removed leaves its place behind until it comes to the top or half of the places are
/// empty, so that each waiter costs logarithmic time.
struct WaiterHeap<Key: Comparable & Sendable>: Sendable {
    private struct Place: Comparable {
        let key: Key
        let id: Int

        static func < (lhs: Place, rhs: Place) -> Bool { (lhs.key, lhs.id) < (rhs.key, rhs.id) }
    }

    private var places = MinHeap<Place>()
    private var waiting: Set<Int> = []

    private static var fewestPlaces: Int { 16 }

    var count: Int { waiting.count }

    /// The smallest key.
    var first: Key? { places.first?.key }

    mutating func insert(_ id: Int, _ key: Key) {
        waiting.insert(id)
        places.insert(Place(key: key, id: id))
    }

    /// Forgets one that waits no longer.
    mutating func remove(_ id: Int) {
        waiting.remove(id)
        if places.count > 2 * waiting.count + Self.fewestPlaces {
            places.removeAll { !waiting.contains($0.id) }
        }
        closeTop()
    }

    /// Takes out the first whose key has been reached; of one key, the one with the smallest
    /// number.
    mutating func popFirst(reached key: Key) -> Int? {
        guard let first = places.first, first.key <= key else { return nil }
        _ = places.popFirst()
        waiting.remove(first.id)
        closeTop()
        return first.id
    }

    private mutating func closeTop() {
        while let first = places.first, !waiting.contains(first.id) { _ = places.popFirst() }
    }
}
