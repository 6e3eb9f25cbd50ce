/// The nearest jobs that execute in a queue and wait for one of its entries: as a rule one, which
/// needs no array.
struct LoanLenders: RandomAccessCollection, Sendable {
    private var nearest: TaskQueueTicket?
    private var others: [TaskQueueTicket] = []

    var startIndex: Int { 0 }
    var endIndex: Int { nearest == nil ? 0 : 1 + others.count }

    subscript(index: Int) -> TaskQueueTicket {
        guard index == 0, let nearest = nearest else { return others[index - 1] }
        return nearest
    }

    mutating func append(_ lender: TaskQueueTicket) {
        if nearest == nil { nearest = lender } else { others.append(lender) }
    }
}
