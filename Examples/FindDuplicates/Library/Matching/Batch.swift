/// Divides work into pieces that are worth a task.
///
/// Batches only reduce costs. A task costs a few microseconds, about as much as reading a small
/// file. Therefore, one task for each file would double the time. With a single task for all files,
/// the other cores would be idle.
enum Batch {
    /// The approximate time of a batch, in microseconds.
    static let fullWork: Int64 = 500

    /// Divides a list into batches in the same order.
    ///
    /// - Parameters:
    ///   - items: The list.
    ///   - work: The time of an item, in microseconds.
    /// - Returns: Lists that each reach ``fullWork`` with their last item, possibly except the last
    ///   list.
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
