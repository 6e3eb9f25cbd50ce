/// Which worker threads a queue has, and when it needs one more.
///
/// ``ThreadDemand`` says how many it wants.
struct WorkerRoster: Sendable {
    private var demand: ThreadDemand
    private(set) var active = 0
    /// Active workers that look for work, so that none has to be woken.
    private(set) var searching = 0
    /// Whether a worker that was called beside others has found next to nothing to do.
    ///
    /// Tasks are then shorter than a call takes, and the worker has taken a core from the thread
    /// that adds them: until some time has passed, others are called only for a backlog.
    private var wasCalledInVain = false
    private var idle: [Int] = []
    private var made = 0

    /// How many tasks of its own a worker leaves for itself before it calls another: a wake costs
    /// as much as several tasks, and two threads that take turns at a queue slow each other down.
    static let ownBacklog = 64

    enum Call: Equatable {
        case nobody
        /// A worker that searches is enough.
        case searching
        /// The worker to wake.
        case idle(Int)
    }

    /// Creates a roster.
    ///
    /// - Parameters:
    ///   - cores: How many workers run as long as none of them waits.
    ///   - limit: How many there are at most.
    init(cores: Int, limit: Int) {
        demand = ThreadDemand(cores: cores, limit: limit)
    }

    /// Who is to take some of the `startable` entries.
    ///
    /// An own worker, which will look for work soon itself, calls another only for a backlog.
    /// Others do so where a worker has just been called in vain.
    mutating func workerToCall(startable: Int, isOwnWorker: Bool) -> Call {
        guard startable > 0 else { return .nobody }
        let isBacklog = startable >= Self.ownBacklog
        if isOwnWorker, !isBacklog { return .nobody }
        guard searching == 0 else { return .searching }
        if wasCalledInVain, active > 0, !isBacklog { return .nobody }
        return idleWorker().map(Call.idle) ?? .nobody
    }

    /// Wakes a worker, if fewer are active than are wanted.
    mutating func idleWorker() -> Int? { active < demand.wanted ? wakeOne() : nil }

    /// Whether more are active than the cores need as long as none of them waits.
    var isBeyondCores: Bool { active > demand.cores }

    /// Whether more are active than are wanted.
    var hasTooMany: Bool { active > demand.wanted }

    // MARK: Looks

    mutating func watchBegan() { demand.watchBegan() }

    /// Returns the workers to wake because of what a look has found.
    ///
    /// Some time has passed, in which the tasks may have become longer: who was called in vain may
    /// be called again.
    mutating func looked(_ look: ThreadDemand.Look) -> [Int] {
        wasCalledInVain = false
        let count = demand.looked(look)
        if count > 0 { return (0..<count).map { _ in wakeOne() } }
        guard look.startable > 0, searching == 0 else { return [] }
        return idleWorker().map { [$0] } ?? []
    }

    /// When to look again, in nanoseconds.
    var pause: UInt64 { demand.pause }

    /// Whether nothing was there to start for so long that looking ends.
    var mayRest: Bool { demand.mayRest }

    // MARK: Searching and leaving

    mutating func searchBegan() { searching += 1 }
    mutating func searchEnded() { searching -= 1 }

    /// The worker has nothing to do any more.
    ///
    /// - Parameters:
    ///   - worker: Its number.
    ///   - wasInVain: Whether calling it beside others cost more than it brought.
    mutating func workerLeft(_ worker: Int, wasInVain: Bool = false) {
        if wasInVain {
            wasCalledInVain = true
            demand.calledInVain()
        }
        active -= 1
        idle.append(worker)
    }

    private mutating func wakeOne() -> Int {
        active += 1
        if let worker = idle.popLast() { return worker }
        defer { made += 1 }
        return made
    }
}
