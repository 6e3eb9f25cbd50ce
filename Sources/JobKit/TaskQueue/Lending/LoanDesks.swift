/// What is asked of each job whose place somebody wants.
struct LoanDesks: Sendable {
    /// What is asked of one job.
    struct Desk: Sendable {
        /// The job's own tasks, as they asked.
        var requests = ReadyLists()
        /// The jobs below it that were asked too, in the order in which they first were.
        var jobsBelow = FIFO<TaskQueueTicket>()
    }

    private var desks: ContiguousArray<Desk> = []
    private var closed: [Int] = []

    /// How many jobs have a desk.
    var openCount: Int { desks.count - closed.count }

    mutating func open() -> Int {
        if let desk = closed.popLast() { return desk }
        desks.append(Desk())
        return desks.count - 1
    }

    mutating func close(_ desk: Int) {
        desks[desk] = Desk()
        closed.append(desk)
    }

    subscript(desk: Int) -> Desk {
        _read { yield desks[desk] }
        _modify { yield &desks[desk] }
    }
}
