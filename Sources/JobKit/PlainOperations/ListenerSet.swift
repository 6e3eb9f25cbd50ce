/// Who is to be told of something, each once, in the order added.
///
/// Adding and removing cost constant time, however many there are. One is kept without a table, for
/// most have one.
struct ListenerSet<Listener: AnyObject> {
    private struct Entry {
        let order: Int
        let listener: Listener
    }

    private var first: Listener?
    private var others: [ObjectIdentifier: Entry] = [:]
    private var nextOrder = 0

    var isEmpty: Bool { first == nil && others.isEmpty }

    /// All listeners, in the order added.
    var all: [Listener] {
        let later = others.values.sorted { $0.order < $1.order }.map(\.listener)
        return first.map { [$0] + later } ?? later
    }

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
