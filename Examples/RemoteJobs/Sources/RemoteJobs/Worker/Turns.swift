import NIOCore

/// Queues items of several jobs and takes them in turns.
///
/// In each round, a job has one item and one more for each step of its priority.
struct Turns<Item> {
    private struct Line {
        var items: CircularBuffer<Item>
        var priority: Int
    }

    private var lines: [Name: Line] = [:]
    /// The jobs with waiting items.
    ///
    /// The first one has its turn.
    private var order = CircularBuffer<Name>()
    private var takenInTurn = 0

    /// Adds an item after the waiting items of its job.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - job: Its job.
    ///   - priority: The priority of its job, 0 to 9. The latest value counts.
    mutating func append(_ item: Item, of job: Name, priority: Int) {
        if lines[job] == nil {
            lines[job] = Line(items: [item], priority: priority)
            order.append(job)
        } else {
            lines[job]?.items.append(item)
            lines[job]?.priority = priority
        }
    }

    /// Takes the next item.
    mutating func next() -> Item? {
        guard let job = order.first, let item = lines[job]?.items.popFirst() else { return nil }
        takenInTurn += 1
        let priority = lines[job]?.priority ?? 0
        if lines[job]?.items.isEmpty ?? true {
            lines[job] = nil
            order.removeFirst()
            takenInTurn = 0
        } else if takenInTurn > priority {
            order.removeFirst()
            order.append(job)
            takenInTurn = 0
        }
        return item
    }

    /// Takes all items.
    mutating func takeAll() -> [Item] {
        var items: [Item] = []
        while let item = next() { items.append(item) }
        return items
    }
}
