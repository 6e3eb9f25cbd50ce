/// Decides which queued run starts when, and whether another one may be queued.
struct AdmissionStateMachine<ID: Comparable & Hashable & Sendable>: Sendable {
    enum Answer: Equatable, Sendable {
        case accepted
        case full
        case stopping
    }

    /// How many runs are running at a time.
    let width: Int
    /// How many runs may be queued.
    let queueLimit: Int

    /// The runs that wait, the first in front.
    private(set) var queued: [ID] = []
    /// The runs that were started and have not ended.
    private(set) var running: Set<ID> = []
    private var reserved = 0
    private var isStopping = false
    private var isOpen = false

    init(width: Int, queueLimit: Int) {
        self.width = width
        self.queueLimit = queueLimit
    }

    /// How many runs wait, those included that are just being written down.
    var queuedCount: Int { queued.count + reserved }

    /// Runs of before may start, and all that come.
    mutating func opened(with ids: [ID]) -> [ID] {
        isOpen = true
        queued = Set(queued).union(ids).sorted()
        return starts()
    }

    /// A run wants to be queued; `accepted` keeps a place until ``runQueued(_:)`` or ``placeGivenBack()``.
    mutating func placeAsked() -> Answer {
        guard !isStopping else { return .stopping }
        // What could start at once needs no place in the queue.
        let free = max(0, width - running.count - queued.count)
        guard queuedCount < queueLimit + free else { return .full }
        reserved += 1
        return .accepted
    }

    /// The place is not needed after all.
    mutating func placeGivenBack() {
        precondition(reserved > 0, "placeGivenBack() without placeAsked()")
        reserved -= 1
    }

    /// The run has been written down: it waits, and may start.
    mutating func runQueued(_ id: ID) -> [ID] {
        precondition(reserved > 0, "runQueued(_:) without placeAsked()")
        reserved -= 1
        // Clients that submit at once may be told in another order than their runs have.
        var place = queued.count
        while place > 0, queued[place - 1] > id { place -= 1 }
        queued.insert(id, at: place)
        return starts()
    }

    /// A run that waits shall not start.
    ///
    /// - Returns: Whether it waited.
    mutating func runWithdrawn(_ id: ID) -> Bool {
        guard let place = queued.firstIndex(of: id) else { return false }
        queued.remove(at: place)
        return true
    }

    /// A run has ended: the next may start.
    mutating func runEnded(_ id: ID) -> [ID] {
        guard running.remove(id) != nil else { return [] }
        return starts()
    }

    /// No run starts any more.
    mutating func stopBegan() {
        isStopping = true
    }

    private mutating func starts() -> [ID] {
        guard isOpen, !isStopping else { return [] }
        let count = min(max(0, width - running.count), queued.count)
        let ids = Array(queued.prefix(count))
        queued.removeFirst(count)
        running.formUnion(ids)
        return ids
    }
}
