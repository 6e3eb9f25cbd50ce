/// The nearest jobs that execute in a queue and wait for one of its entries: as a rule one, which
/// needs no array.
struct LoanLenders: RandomAccessCollection, Sendable {
    private var nearest: TaskQueueTicket?
    private var others: [TaskQueueTicket] = []
    /// The others, once they are too many to be compared one by one.
    private var known: Set<TaskQueueTicket>?

    private static let compared = 8

    var startIndex: Int { 0 }
    var endIndex: Int { nearest == nil ? 0 : 1 + others.count }

    subscript(index: Int) -> TaskQueueTicket {
        guard index == 0, let nearest else { return others[index - 1] }
        return nearest
    }

    /// Adds a lender, unless it is known.
    ///
    /// - Returns: False if it is known.
    mutating func insert(_ lender: TaskQueueTicket) -> Bool {
        guard let nearest else {
            self.nearest = lender
            return true
        }
        guard lender != nearest, isNews(lender) else { return false }
        others.append(lender)
        return true
    }

    mutating func removeAll() {
        nearest = nil
        guard !others.isEmpty else { return }
        others = []
        known = nil
    }

    private mutating func isNews(_ lender: TaskQueueTicket) -> Bool {
        guard others.count >= Self.compared else { return !others.contains(lender) }
        if known == nil { known = Set(others) }
        return known?.insert(lender).inserted == true
    }
}
