/// Which worker threads a queue has, and when it needs one more.
///
/// A queue runs on about as many threads as there are cores. A thread more comes only when the
/// queue did not start anything for a while although it could: then its threads are blocked.
struct WorkerRoster: Sendable {
    /// How many workers run as long as none is blocked.
    let parallelism: Int
    /// How many workers there are at most.
    let limit: Int
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

    init(parallelism: Int, limit: Int) {
        self.parallelism = parallelism
        self.limit = limit
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

    /// Wakes a worker, if fewer are active than usually run.
    mutating func idleWorker() -> Int? { active < parallelism ? wakeOne() : nil }

    /// The workers to wake because nothing was started for a while: half as many again.
    mutating func workersToWakeWhenStarved(startable: Int) -> [Int] {
        let count = min(startable, max(1, active / 2), limit - active)
        return (0..<max(0, count)).map { _ in wakeOne() }
    }

    mutating func searchBegan() { searching += 1 }
    mutating func searchEnded() { searching -= 1 }

    /// The worker has nothing to do any more.
    ///
    /// - Parameters:
    ///   - worker: Its number.
    ///   - wasInVain: Whether calling it beside others cost more than it brought.
    mutating func workerLeft(_ worker: Int, wasInVain: Bool = false) {
        if wasInVain { wasCalledInVain = true }
        active -= 1
        idle.append(worker)
    }

    /// Some time has passed, in which the tasks may have become longer.
    mutating func timePassed() { wasCalledInVain = false }

    private mutating func wakeOne() -> Int {
        active += 1
        if let worker = idle.popLast() { return worker }
        defer { made += 1 }
        return made
    }
}
