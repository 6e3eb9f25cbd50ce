/// Decides which queued run starts when, and whether another one may be queued.
///
/// Of the runs that may start, one of a higher priority starts first; of equal ones, the one with the
/// lower number. A run that is planned for later waits apart until its time.
struct AdmissionStateMachine<ID: Comparable & Hashable & Sendable>: Sendable {
    enum Answer: Equatable, Sendable {
        case accepted
        case full
        case stopping
    }

    /// A run that waits; times are in milliseconds since 1970.
    struct Entry: Equatable, Sendable {
        let id: ID
        var priority = 0
        var runAt: Int64?

        func starts(before other: Entry) -> Bool {
            priority == other.priority ? id < other.id : priority > other.priority
        }
    }

    /// How many runs are running at a time.
    let width: Int
    /// How many runs may be queued.
    let queueLimit: Int

    /// The runs that wait for a place, the first in front.
    private(set) var waiting: [Entry] = []
    /// The runs that wait for their time, the earliest in front.
    private(set) var planned: [Entry] = []
    /// The runs that were started and have not ended.
    private(set) var running: Set<ID> = []
    private var reserved = 0
    private var isStopping = false
    private var isOpen = false

    init(width: Int, queueLimit: Int) {
        self.width = width
        self.queueLimit = queueLimit
    }

    /// Whether no run starts now.
    var isClosed: Bool { !isOpen || isStopping }
    /// The runs that wait for a place.
    var queued: [ID] { waiting.map(\.id) }
    /// How many runs wait, those included that are just being written down.
    var queuedCount: Int { waiting.count + planned.count + reserved }
    /// When the next planned run may start; nil if none is planned.
    var nextTime: Int64? { planned.first?.runAt }

    /// Runs of before may start, and all that come.
    mutating func opened(with entries: [Entry], at now: Int64) -> [ID] {
        isOpen = true
        for entry in entries { insert(entry, at: now) }
        return starts()
    }

    /// A run wants to be queued; `accepted` keeps a place until ``runQueued(_:at:)`` or ``placeGivenBack()``.
    ///
    /// - Parameter isPlanned: Whether the run may not start before a time that is to come.
    /// - Returns: Whether it may be queued.
    mutating func placeAsked(isPlanned: Bool = false) -> Answer {
        guard !isStopping else { return .stopping }
        // A run that can start at once needs no place in the queue, which runs of next year may fill.
        let free = max(0, width - running.count)
        let ready = waiting.count + reserved
        let canStart = !isPlanned && ready < free
        guard canStart || planned.count + max(0, ready - free) < queueLimit else { return .full }
        reserved += 1
        return .accepted
    }

    /// The place is not needed after all.
    mutating func placeGivenBack() {
        precondition(reserved > 0, "placeGivenBack() without placeAsked()")
        reserved -= 1
    }

    /// The run has been written down: it waits, and may start.
    mutating func runQueued(_ entry: Entry, at now: Int64) -> [ID] {
        precondition(reserved > 0, "runQueued(_:at:) without placeAsked()")
        reserved -= 1
        insert(entry, at: now)
        return starts()
    }

    /// The server itself has queued a run, however many wait.
    mutating func runAdded(_ entry: Entry, at now: Int64) -> [ID] {
        insert(entry, at: now)
        return starts()
    }

    /// Time has passed: planned runs may be due.
    mutating func timeCame(_ now: Int64) -> [ID] {
        let count = planned.prefix { ($0.runAt ?? 0) <= now }.count
        let due = planned.prefix(count)
        planned.removeFirst(count)
        for entry in due { insert(entry, at: now) }
        return starts()
    }

    /// A run that waits is more or less urgent than before.
    ///
    /// - Returns: Whether it waited.
    mutating func priorityChanged(of id: ID, to priority: Int) -> Bool {
        if let place = planned.firstIndex(where: { $0.id == id }) {
            planned[place].priority = priority
            return true
        }
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return false }
        var entry = waiting.remove(at: place)
        entry.priority = priority
        insertWaiting(entry)
        return true
    }

    /// A run that waits shall not start.
    ///
    /// - Returns: Whether it waited.
    mutating func runWithdrawn(_ id: ID) -> Bool {
        if let place = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: place)
            return true
        }
        guard let place = planned.firstIndex(where: { $0.id == id }) else { return false }
        planned.remove(at: place)
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

    private mutating func insert(_ entry: Entry, at now: Int64) {
        guard let time = entry.runAt, time > now else { return insertWaiting(entry) }
        let place = planned.firstIndex { other in
            (other.runAt ?? 0, other.id) > (time, entry.id)
        }
        planned.insert(entry, at: place ?? planned.count)
    }

    private mutating func insertWaiting(_ entry: Entry) {
        // Clients that submit at once may be told in another order than their runs have: most come last.
        var place = waiting.count
        while place > 0, entry.starts(before: waiting[place - 1]) { place -= 1 }
        waiting.insert(entry, at: place)
    }

    private mutating func starts() -> [ID] {
        guard isOpen, !isStopping else { return [] }
        let count = min(max(0, width - running.count), waiting.count)
        let ids = waiting.prefix(count).map(\.id)
        waiting.removeFirst(count)
        running.formUnion(ids)
        return ids
    }
}
