import NIOCore

/// What waits of several jobs, taken in turns.
///
/// In a round each job has one turn: one thing, and one more for each step of its priority.
struct Turns<Item> {
    private struct Line {
        var items: CircularBuffer<Item>
        var priority: Int
    }

    private var lines: [Name: Line] = [:]
    /// The jobs of which something waits; the first has its turn.
    private var order = CircularBuffer<Name>()
    private var takenInTurn = 0

    /// Something of a job waits, behind what waits of it already.
    ///
    /// - Parameters:
    ///   - item: What it is.
    ///   - job: Its job.
    ///   - priority: Its job's priority, 0 to 9; the latest counts.
    mutating func append(_ item: Item, of job: Name, priority: Int) {
        if lines[job] == nil {
            lines[job] = Line(items: [item], priority: priority)
            order.append(job)
        } else {
            lines[job]?.items.append(item)
            lines[job]?.priority = priority
        }
    }

    /// Takes what is next.
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

    /// Takes all that waits.
    mutating func takeAll() -> [Item] {
        var items: [Item] = []
        while let item = next() { items.append(item) }
        return items
    }
}
