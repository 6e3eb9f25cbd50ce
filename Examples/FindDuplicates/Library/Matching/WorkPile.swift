/// Decides when waiting work is worth a task, and how much of it goes into one.
///
/// A task costs a few microseconds, about as much as hashing a small file. Work is therefore
/// piled up to full batches, but nobody waits for that: while fewer batches are out than there
/// are workers, what is waiting goes as it is.
struct WorkPile<Item> {
    /// From which sum of weights on a batch is full.
    let fullWeight: Int64
    /// How many batches are out before those that are not full have to wait.
    let width: Int
    /// How many batches were taken and have not yet been finished.
    private(set) var batchesOut = 0

    private var waiting: [(item: Item, weight: Int64)] = []
    private var waitingWeight: Int64 = 0

    init(fullWeight: Int64, width: Int) {
        precondition(fullWeight > 0 && width > 0, "A batch weighs something and somebody works")
        self.fullWeight = fullWeight
        self.width = width
    }

    /// How many items wait for a batch.
    var waitingCount: Int { waiting.count }

    /// Puts an item on the pile.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - weight: What it costs to deal with it, in the unit of ``fullWeight``.
    mutating func add(_ item: Item, weight: Int64) {
        waiting.append((item, weight))
        waitingWeight += weight
    }

    /// Takes the next batch, if there is one to be taken.
    ///
    /// - Parameter takesRest: Whether a batch need not be full, because nothing will be added
    ///   soon.
    /// - Returns: The items, latest first; `nil` if none wait or if they had better wait.
    mutating func takeBatch(takesRest: Bool) -> [Item]? {
        let isFull = waitingWeight >= fullWeight
        guard !waiting.isEmpty, isFull || takesRest || batchesOut < width else { return nil }
        var batch: [Item] = []
        var weight: Int64 = 0
        while weight < fullWeight, let next = waiting.popLast() {
            batch.append(next.item)
            weight += next.weight
        }
        waitingWeight -= weight
        batchesOut += 1
        return batch
    }

    /// Notes that a batch that was taken is done with.
    mutating func batchFinished() {
        precondition(batchesOut > 0, "batchFinished() with no batch out")
        batchesOut -= 1
    }
}
