/// Values of objects, in the order added.
///
/// Adding and removing take constant time. If there are many values, a dictionary has their
/// indices. Removing one leaves a gap, and the gaps are closed when half of the array is gaps.
struct OrderedMap<Value> {
    private var entries: [(id: ObjectIdentifier, value: Value)?] = []
    /// Empty as long as a linear search costs less.
    private var indices: [ObjectIdentifier: Int] = [:]
    private(set) var count = 0

    private static var linearSearchLimit: Int { 16 }

    var isEmpty: Bool { count == 0 }

    /// The values, in the order added.
    var values: [Value] { entries.compactMap { $0?.value } }

    /// Calls a closure with the values, in the order added, without an array of them.
    func forEachValue(_ body: (Value) -> Void) {
        for case let entry? in entries { body(entry.value) }
    }

    /// The value of an object, or nil if it has none.
    subscript(object: AnyObject) -> Value? { index(of: object).flatMap { entries[$0]?.value } }

    /// Adds the value of an object that has none.
    mutating func add(_ value: Value, for object: AnyObject) {
        if !indices.isEmpty { indices[ObjectIdentifier(object)] = entries.count }
        entries.append((ObjectIdentifier(object), value))
        count += 1
        if indices.isEmpty, entries.count > Self.linearSearchLimit { closeGaps() }
    }

    /// Removes and returns the value of an object, or returns nil if it has none.
    mutating func remove(_ object: AnyObject) -> Value? {
        guard let index = index(of: object) else { return nil }
        let removed = entries[index].take()
        indices[ObjectIdentifier(object)] = nil
        count -= 1
        if 2 * count <= entries.count { closeGaps() }
        return removed?.value
    }

    /// Up to `limit` values of other objects, the last ones first.
    func values(_ limit: Int, otherThan object: AnyObject) -> [Value] {
        var found: [Value] = []
        for case let entry? in entries.reversed() where entry.id != ObjectIdentifier(object) {
            if found.count == limit { break }
            found.append(entry.value)
        }
        return found
    }

    private func index(of object: AnyObject) -> Int? {
        let id = ObjectIdentifier(object)
        return indices.isEmpty ? entries.firstIndex { $0?.id == id } : indices[id]
    }

    private mutating func closeGaps() {
        entries.removeAll { $0 == nil }
        indices = [:]
        guard count > Self.linearSearchLimit else { return }
        for (index, entry) in entries.enumerated() {
            if let entry { indices[entry.id] = index }
        }
    }
}

extension OrderedMap: Sendable where Value: Sendable {}
