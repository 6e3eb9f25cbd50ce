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
    mutating func workerToCall(startable: Int, isOwnWorker: Bool) -> Call {
        guard startable > 0 else { return .nobody }
        if isOwnWorker, startable < Self.ownBacklog { return .nobody }
        guard searching == 0 else { return .searching }
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

    mutating func workerLeft(_ worker: Int) {
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
