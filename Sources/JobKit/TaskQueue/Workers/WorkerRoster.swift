/// Which worker threads a queue has, and when it calls one more.
///
/// **The rule.** A worker more is called when those that come for what can be started would take
/// longer to get to it than a call takes; as many are called as that is worth, up to the number
/// that ``ThreadDemand`` wants. A worker inside an operation does not come for what it adds, one
/// between two operations comes for one entry, and what is left to others is looked at again.
struct WorkerRoster: Sendable {
    private var demand: ThreadDemand
    private(set) var active = 0
    /// Active workers that were called and have not come.
    private var coming = 0
    /// Active workers that look for work, so that none has to be woken.
    private var searching = 0
    private var idle: [Int] = []
    private var made = 0
    /// Whether the queue is watched: looked at from time to time.
    private var isWatched = false

    /// The time from one start of an entry to the next, as last measured, in nanoseconds.
    private var interval = UInt64.max / 2
    /// When that was, and how many entries had been started by then.
    private var measured: (time: UInt64, startCount: Int) = (0, 0)

    /// About what it takes to call a worker, on both sides together, in nanoseconds.
    static let callTime: UInt64 = 20_000

    /// What asks for entries to be started.
    enum Caller {
        /// A thread that is no worker of the queue's, or a worker that has just taken an entry.
        case other
        /// A worker inside an operation, which may go on for long.
        case workerInOperation
        /// A worker that has ended an operation and will take an entry.
        case workerBetweenOperations
    }

    /// What gets the queue to start an entry.
    enum Call: Equatable, Sendable {
        case nobody
        /// Tell those that search, which would look later.
        case searching
        /// Wake the worker.
        case worker(Int)
        /// Begin to look at the queue.
        case watch
        case workerAndWatch(Int)
    }

    /// Creates a roster.
    ///
    /// - Parameters:
    ///   - cores: How many workers run as long as none of them waits.
    ///   - limit: How many there are at most.
    init(cores: Int, limit: Int) {
        demand = ThreadDemand(cores: cores, limit: limit)
    }

    // MARK: Calling

    /// Calls a worker for the `startable` entries, if one more is worth its call.
    @inline(__always)
    mutating func call(startable: Int, by caller: Caller) -> Call {
        guard startable > 0 else { return .nobody }
        if caller == .workerBetweenOperations, startable == 1 { return watch() }
        guard searching == 0 else { return startable >= Self.batch ? .searching : .nobody }
        let others = active - (caller == .other ? 0 : 1)
        if others > 0 {
            let (wait, isEndless) = interval.multipliedReportingOverflow(by: UInt64(startable))
            if !isEndless, wait <= UInt64(coming + 1) * Self.callTime { return watch() }
        }
        guard let worker = idleWorker() else { return watch() }
        guard active > demand.cores, watch() == .watch else { return .worker(worker) }
        return .workerAndWatch(worker)
    }

    /// Wakes a worker, if fewer are active than are wanted.
    mutating func idleWorker() -> Int? { active < demand.wanted ? wakeOne() : nil }

    /// Whether more are active than are wanted.
    var hasTooMany: Bool { active > demand.wanted }

    private mutating func wakeOne() -> Int {
        active += 1
        coming += 1
        if let worker = idle.popLast() { return worker }
        defer { made += 1 }
        return made
    }

    // MARK: Coming, searching, leaving

    mutating func workerCame() { coming -= 1 }

    mutating func searchBegan() { searching += 1 }

    /// How long a worker searches before it looks by itself, in nanoseconds.
    static let searchTime = callTime / 10
    /// From how many entries on a worker that searches is told: two threads that hand over one at a
    /// time take each other's cache lines for each.
    static let batch = 16

    /// Whether a worker that has searched for some time, in nanoseconds, and found nothing, goes on.
    ///
    /// It does for as long as a call takes where entries come twice as often; one such worker is
    /// enough.
    func searchGoesOn(after time: UInt64) -> Bool {
        searching == 1 && interval <= Self.callTime / 2 && time < Self.callTime
    }

    mutating func searchEnded() { searching -= 1 }

    /// The worker leaves, and `startable` entries to others.
    ///
    /// If it has started none itself, it was called in vain.
    mutating func workerLeft(_ worker: Int, startable: Int, hasStarted: Bool) -> Call {
        if !hasStarted, startable == 0 { demand.calledInVain() }
        active -= 1
        idle.append(worker)
        return startable > 0 ? watch() : .nobody
    }

    /// Measures how quickly entries are started, until `now`, in nanoseconds, when the queue has
    /// started `startCount`; a shorter time than that of a call tells nothing.
    mutating func measure(at now: UInt64, startCount: Int) {
        guard now >= measured.time + Self.callTime else { return }
        interval = (now - measured.time) / UInt64(max(1, startCount - measured.startCount))
        measured = (now, startCount)
    }

    // MARK: Looks

    /// The queue is to be looked at, if it is not yet.
    private mutating func watch() -> Call {
        guard !isWatched else { return .nobody }
        isWatched = true
        demand.watchBegan()
        return .watch
    }

    /// Takes in what a look at the workers has found at `now`, in nanoseconds.
    ///
    /// - Returns: The workers to wake, and when to look again in nanoseconds, if at all.
    mutating func looked(
        _ look: ThreadDemand.Look,
        at now: UInt64
    ) -> (woken: [Int], pause: UInt64?) {
        measure(at: now, startCount: look.startCount)
        let count = demand.looked(look)
        var woken = (0..<count).map { _ in wakeOne() }
        // What was left to others is still there.
        if woken.isEmpty, look.startable > 0, searching == 0, let worker = idleWorker() {
            woken.append(worker)
        }
        isWatched = !demand.mayRest
        return (woken, isWatched ? demand.pause : nil)
    }
}
