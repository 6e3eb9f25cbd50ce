/// Listeners, each once, in the order added.
///
/// Adding and removing cost constant time, however many there are. One is kept without a table,
/// because most sets have one.
struct ListenerSet<Listener: AnyObject>: Sequence {
    fileprivate struct Entry {
        let order: Int
        let listener: Listener
    }

    private var first: Listener?
    private var others: [ObjectIdentifier: Entry] = [:]
    private var nextOrder = 0

    var isEmpty: Bool { first == nil && others.isEmpty }

    /// At most so many listeners, in any order, but for one of them.
    func some(_ limit: Int, otherThan listener: Listener) -> [Listener] {
        var found = first.map { $0 === listener ? [] : [$0] } ?? []
        for entry in others.values {
            guard found.count < limit else { break }
            if entry.listener !== listener { found.append(entry.listener) }
        }
        return found
    }

    mutating func insert(_ listener: Listener) {
        guard !isEmpty else {
            first = listener
            return
        }
        others[ObjectIdentifier(listener)] = Entry(order: nextOrder, listener: listener)
        nextOrder += 1
    }

    /// Does nothing if the listener is not there.
    mutating func remove(_ listener: Listener) {
        if first === listener {
            first = nil
        } else {
            others[ObjectIdentifier(listener)] = nil
        }
    }
}

extension ListenerSet {
    /// The listeners, in the order added; the usual one takes no array.
    struct Iterator: IteratorProtocol {
        fileprivate var first: Listener?
        fileprivate var later: [Listener]

        mutating func next() -> Listener? { first.take() ?? later.popLast() }
    }

    func makeIterator() -> Iterator {
        let later = others.isEmpty ? [] : others.values.sorted { $0.order > $1.order }
        return Iterator(first: first, later: later.map(\.listener))
    }
}

extension ListenerSet.Entry: Sendable where Listener: Sendable {}
extension ListenerSet: Sendable where Listener: Sendable {}
