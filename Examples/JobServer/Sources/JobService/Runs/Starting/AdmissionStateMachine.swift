/// Decides when queued runs start, and whether another run may be queued.
///
/// Among the runs that may start, the one with the highest priority starts first. If priorities are
/// equal, the lowest number starts first. Runs that are planned for later wait separately until
/// their time. A person can pause all starts, or those of a kind.
struct AdmissionStateMachine<
    ID: Comparable & Hashable & Sendable,
    Kind: Hashable & Sendable
>: Sendable {
    enum Answer: Equatable, Sendable {
        case accepted
        case full
        case stopping
    }

    /// A waiting run.
    ///
    /// Times are in milliseconds since 1970.
    struct Entry: Equatable, Sendable {
        let id: ID
        var kind: Kind?
        var priority = 0
        var runAt: Int64?

        func starts(before other: Entry) -> Bool {
            priority == other.priority ? id < other.id : priority > other.priority
        }
    }

    /// How many runs execute at a time.
    let width: Int
    /// How many runs may be queued.
    let queueLimit: Int

    /// The runs that wait for a permit, the next one first.
    private(set) var waiting: [Entry] = []
    /// The runs that wait for their time, the earliest one first.
    private(set) var planned: [Entry] = []
    /// The runs that have started and not ended.
    private(set) var running: Set<ID> = []
    /// Whether a person has paused all starts.
    private(set) var isPaused = false
    /// The kinds of which a person has paused the starts.
    private(set) var pausedKinds: Set<Kind> = []
    private var reserved = 0
    private var isStopping = false
    private var isOpen = false

    init(width: Int, queueLimit: Int) {
        self.width = width
        self.queueLimit = queueLimit
    }

    /// Whether no run starts now.
    var isClosed: Bool { !isOpen || isStopping }
    /// The runs that wait for a permit.
    var queued: [ID] { waiting.map(\.id) }
    /// The number of waiting runs, including those that are being saved.
    var queuedCount: Int { waiting.count + planned.count + reserved }
    /// The time of the next planned run, or nil if none is planned.
    var nextTime: Int64? { planned.first?.runAt }

    /// Lets all runs start, including those of earlier sessions of the server.
    mutating func opened(with entries: [Entry], at now: Int64) -> [ID] {
        isOpen = true
        for entry in entries { insert(entry, at: now) }
        return starts()
    }

    /// Reserves room in the queue for a run.
    ///
    /// `accepted` keeps the room reserved until ``runQueued(_:at:)`` or ``placeGivenBack()``.
    ///
    /// - Parameters:
    ///   - isPlanned: Whether the run may not start before a future time.
    ///   - kind: The kind of the run.
    /// - Returns: Whether it may be queued.
    mutating func placeAsked(isPlanned: Bool = false, kind: Kind? = nil) -> Answer {
        guard !isStopping else { return .stopping }
        // A run that can start at once needs no room in the queue. Otherwise, runs that are
        // planned for next year, or are paused, could block it.
        let free = isPaused ? 0 : max(0, width - running.count)
        let pausedCount = pausedKinds.isEmpty ? 0 : waiting.count { isPaused(kind: $0.kind) }
        let ready = waiting.count - pausedCount + reserved
        let canStart = !isPlanned && !isPaused(kind: kind) && ready < free
        let queued = planned.count + pausedCount + max(0, ready - free)
        guard canStart || queued < queueLimit else { return .full }
        reserved += 1
        return .accepted
    }

    /// Releases reserved room that is not needed.
    mutating func placeGivenBack() {
        precondition(reserved > 0, "placeGivenBack() without placeAsked()")
        reserved -= 1
    }

    /// Queues a run that has been saved and may start.
    mutating func runQueued(_ entry: Entry, at now: Int64) -> [ID] {
        precondition(reserved > 0, "runQueued(_:at:) without placeAsked()")
        reserved -= 1
        insert(entry, at: now)
        return starts()
    }

    /// Queues a run of the server itself without regard to the limit of the queue.
    mutating func runAdded(_ entry: Entry, at now: Int64) -> [ID] {
        insert(entry, at: now)
        return starts()
    }

    /// Queues the planned runs that have become due.
    mutating func timeCame(_ now: Int64) -> [ID] {
        let count = planned.prefix { ($0.runAt ?? 0) <= now }.count
        let due = planned.prefix(count)
        planned.removeFirst(count)
        for entry in due { insert(entry, at: now) }
        return starts()
    }

    /// Changes the priority of a waiting run.
    ///
    /// - Returns: Whether it was waiting.
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

    /// Removes a waiting run, so that it does not start.
    ///
    /// - Returns: Whether it was waiting.
    mutating func runWithdrawn(_ id: ID) -> Bool {
        if let place = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: place)
            return true
        }
        guard let place = planned.firstIndex(where: { $0.id == id }) else { return false }
        planned.remove(at: place)
        return true
    }

    /// Removes a run that has ended, so that the next one may start.
    mutating func runEnded(_ id: ID) -> [ID] {
        guard running.remove(id) != nil else { return [] }
        return starts()
    }

    /// Pauses all starts, or those of some kinds.
    ///
    /// Executing runs continue.
    ///
    /// - Parameters:
    ///   - isPaused: Whether no run starts.
    ///   - kinds: The kinds of which no run starts.
    /// - Returns: The runs that may start now.
    mutating func pausesChanged(isPaused: Bool, kinds: Set<Kind>) -> [ID] {
        self.isPaused = isPaused
        pausedKinds = kinds
        return starts()
    }

    /// Whether a person has paused the starts of a kind.
    func isPaused(kind: Kind?) -> Bool { kind.map { pausedKinds.contains($0) } == true }

    /// Prevents all further starts.
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
        // Simultaneous submissions may arrive here in another order than their numbers. Most belong
        // at the end, so the search begins there.
        var place = waiting.count
        while place > 0, entry.starts(before: waiting[place - 1]) { place -= 1 }
        waiting.insert(entry, at: place)
    }

    private mutating func starts() -> [ID] {
        guard isOpen, !isStopping, !isPaused else { return [] }
        let free = max(0, width - running.count)
        let kinds = pausedKinds
        var ids: [ID] = []
        if kinds.isEmpty {
            let count = min(free, waiting.count)
            ids = waiting.prefix(count).map(\.id)
            waiting.removeFirst(count)
        } else {
            waiting.removeAll { entry in
                let isPaused = entry.kind.map { kinds.contains($0) } == true
                guard ids.count < free, !isPaused else { return false }
                ids.append(entry.id)
                return true
            }
        }
        running.formUnion(ids)
        return ids
    }
}
