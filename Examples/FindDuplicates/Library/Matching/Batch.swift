/// Cuts work into pieces that are each worth a task.
///
/// Batching is for cost alone. A task costs a few microseconds, about as much as reading a small
/// file, so a task for each file would double the time. With a task for everything, the other cores
/// would have nothing to do.
enum Batch {
    /// About how many microseconds a batch should take.
    static let fullWork: Int64 = 500

    /// Cuts a list into batches; the order stays.
    ///
    /// - Parameters:
    ///   - items: The list.
    ///   - work: What an item takes, in microseconds.
    /// - Returns: Lists that each come to ``fullWork`` with their last item; the last one may not.
    static func batches<Item>(of items: [Item], work: (Item) -> Int64) -> [[Item]] {
        var batches: [[Item]] = []
        var batch: [Item] = []
        var weight: Int64 = 0
        for item in items {
            batch.append(item)
            weight += min(work(item), fullWork)
            if weight >= fullWork {
                batches.append(batch)
                (batch, weight) = ([], 0)
            }
        }
        return batch.isEmpty ? batches : batches + [batch]
    }
}
