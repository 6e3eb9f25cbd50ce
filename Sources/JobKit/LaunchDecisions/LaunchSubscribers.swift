/// Who reads an item's needs, in the order added; whoever leaves does so in logarithmic time.
struct LaunchSubscribers<Subscriber: Sendable>: Sendable {
    private struct Slot: Sendable {
        let id: Int
        /// Nil once it has left.
        var subscriber: Subscriber?
    }

    /// By rising identifiers.
    private var slots: [Slot] = []
    private var vacantCount = 0
    private var nextID = 0

    var all: [Subscriber] { slots.compactMap(\.subscriber) }

    mutating func add(_ subscriber: Subscriber) -> Int {
        defer { nextID += 1 }
        slots.append(Slot(id: nextID, subscriber: subscriber))
        return nextID
    }

    /// Returns the subscriber, so that it is let go of outside the lock.
    mutating func remove(_ id: Int) -> Subscriber? {
        guard let index = index(of: id), let subscriber = slots[index].subscriber.take() else {
            return nil
        }
        vacantCount += 1
        if vacantCount > slots.count / 2 {
            slots.removeAll { $0.subscriber == nil }
            vacantCount = 0
        }
        return subscriber
    }

    private func index(of id: Int) -> Int? {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].id == id ? low : nil
    }
}
