/// The jobs to tell of one operation's finish, in the order in which they came; guarded by the
/// operation's lock.
///
/// A job that leaves stays in the array until half of it has left, so that leaving costs constant
/// time.
struct TaskSubscribers {
    private var records: [OperationListener] = []
    private var goneCount = 0
    /// Before it all have left.
    private var head = 0

    var isEmpty: Bool { records.count == goneCount }

    /// Those that have not left.
    var all: [OperationListener] { records.filter { $0.subscription == .stands } }

    mutating func append(_ record: OperationListener) { records.append(record) }

    /// The subscription of one of the records is over.
    ///
    /// - Returns: The records that were here, if some go now, to be released with no lock held.
    mutating func subscriptionEnded() -> [OperationListener] {
        goneCount += 1
        while head < records.count, records[head].subscription == .isOver { head += 1 }
        guard 2 * goneCount >= records.count else { return [] }
        let before = records
        records.removeAll { $0.subscription == .isOver }
        (goneCount, head) = (0, 0)
        return before
    }

    /// The first of those that have not left.
    func first(_ limit: Int, otherThan record: OperationListener) -> [OperationListener] {
        var found: [OperationListener] = []
        for other in records[head...] where other !== record {
            guard other.subscription == .stands else { continue }
            if found.count == limit { break }
            found.append(other)
        }
        return found
    }
}
