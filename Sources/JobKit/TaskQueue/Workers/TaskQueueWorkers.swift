import Dispatch

/// The threads of a queue: serial `DispatchQueue`s, which have threads of their own.
///
/// ``WorkerRoster`` decides which of them work.
struct TaskQueueWorkers {
    /// A thread, by its number in the roster.
    typealias Worker = (index: Int, queue: DispatchQueue)

    /// What gets the queue to start an operation.
    enum Wake {
        case worker(Worker)
        case searchingWorkers
        /// A ``WorkerWatch`` begins.
        case watch
        case workerAndWatch(Worker)
    }

    private var roster: WorkerRoster
    private var workers: [(queue: DispatchQueue, badge: WorkerBadge?)] = []
    /// Where operations are asked again whether they are ready; made when it is needed.
    private var pollQueue: DispatchQueue?
    private let name: String
    private let quality: DispatchQoS

    init(_ roster: WorkerRoster, name: String, quality: DispatchQoS) {
        self.roster = roster
        self.name = name
        self.quality = quality
    }

    /// What is to be done where `startable` operations could be started.
    @inline(__always)
    mutating func toWake(startable: Int, by caller: WorkerRoster.Caller) -> Wake? {
        startable > 0 ? wake(roster.call(startable: startable, by: caller)) : nil
    }

    /// A worker has come.
    mutating func workerCame(_ index: Int, _ badge: WorkerBadge) {
        workers[index].badge = badge
        roster.workerCame()
    }

    /// The workers that are at work, with what can be told of each.
    var atWork: [WorkerBadge] { workers.compactMap(\.badge) }

    /// Whether a worker that asks for the next operation is to leave instead.
    var hasTooMany: Bool { roster.hasTooMany }

    /// A worker has nothing to do any more, or leaves `startable` operations to others.
    mutating func workerLeft(_ index: Int, startable: Int) -> Wake? {
        let began = workers[index].badge.take()?.began.load(ordering: .relaxed)
        return wake(roster.workerLeft(index, startable: startable, hasStarted: began != 0))
    }

    /// Takes in what a look at the workers has found.
    ///
    /// - Returns: The workers to call now, and when to look again in nanoseconds, if at all.
    mutating func looked(
        _ look: ThreadDemand.Look,
        at now: UInt64
    ) -> (called: [Worker], pause: UInt64?) {
        let (woken, pause) = roster.looked(look, at: now)
        return (woken.map { worker($0) }, pause)
    }

    var activeCount: Int { roster.active }

    /// Takes an idle worker, which has to work then.
    mutating func takeIdle() -> Worker? { roster.idleWorker().map { worker($0) } }

    mutating func searchBegan() { roster.searchBegan() }

    mutating func searchEnded() { roster.searchEnded() }

    /// Whether a worker that has searched from `begin` to `now`, in nanoseconds, and found nothing
    /// goes on, when the queue has started `startCount` operations.
    mutating func searchGoesOn(from begin: UInt64, to now: UInt64, startCount: Int) -> Bool {
        roster.measure(at: now, startCount: startCount)
        return roster.searchGoesOn(after: now - begin)
    }

    /// Where operations are asked again: a thread that no blocked operation holds.
    mutating func queueToPoll() -> DispatchQueue {
        if let pollQueue { return pollQueue }
        let made = DispatchQueue(label: "\(name) readiness", qos: quality)
        pollQueue = made
        return made
    }

    private mutating func wake(_ call: WorkerRoster.Call) -> Wake? {
        switch call {
        case .nobody: nil
        case .searching: .searchingWorkers
        case .worker(let index): .worker(worker(index))
        case .watch: .watch
        case .workerAndWatch(let index): .workerAndWatch(worker(index))
        }
    }

    private mutating func worker(_ index: Int) -> Worker {
        if index == workers.count {
            let queue = DispatchQueue(label: "\(name) worker \(index)", qos: quality)
            workers.append((queue, nil))
        }
        return (index, workers[index].queue)
    }
}
