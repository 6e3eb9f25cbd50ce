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
        case searchingWorker
        /// A ``WorkerWatch`` begins.
        case watch
        case workerAndWatch(Worker)
    }

    private var roster: WorkerRoster
    private var workers: [(queue: DispatchQueue, badge: WorkerBadge?)] = []
    /// Where operations are asked again whether they are ready; made when it is needed.
    private var lookQueue: DispatchQueue?
    /// Whether a ``WorkerWatch`` looks at the queue.
    private var isWatched = false
    /// How quickly operations were started since a worker last left.
    private var pace = StartPace()
    private let name: String
    private let quality: DispatchQoS

    init(_ roster: WorkerRoster, name: String, quality: DispatchQoS) {
        self.roster = roster
        self.name = name
        self.quality = quality
    }

    /// What is to be done where `startable` operations could be started; a worker that asks looks
    /// for work by itself.
    mutating func toWake(startable: Int, isOwnWorker: Bool) -> Wake? {
        guard startable > 0 else { return nil }
        switch roster.workerToCall(startable: startable, isOwnWorker: isOwnWorker) {
        case .searching: return .searchingWorker
        case .idle(let index):
            let worker = worker(index)
            guard roster.isBeyondCores, toWatch() != nil else { return .worker(worker) }
            return .workerAndWatch(worker)
        case .nobody: break
        }
        return toWatch()
    }

    /// A worker has come.
    mutating func workerCame(_ index: Int, _ badge: WorkerBadge) -> WorkerStay {
        workers[index].badge = badge
        return WorkerStay(
            index: index,
            begin: badge.begin.time,
            isBesideOthers: roster.active > 1
        )
    }

    /// The workers that are at work, with what can be told of each.
    var atWork: [WorkerBadge] { workers.compactMap(\.badge) }

    /// Whether a worker that asks for the next operation is to leave instead.
    var hasTooMany: Bool { roster.hasTooMany }

    /// A worker has nothing to do any more, at `now` in nanoseconds, when the queue has started
    /// `startCount` operations; returns what is to be done if the worker was called in vain.
    mutating func workerLeft(_ stay: WorkerStay, at now: UInt64, startCount: Int) -> Wake? {
        workers[stay.index].badge = nil
        let isQuick = pace.isQuick(at: now, startCount: startCount)
        let wasInVain = stay.wasShort(at: now) && isQuick
        roster.workerLeft(stay.index, wasInVain: wasInVain)
        return wasInVain ? toWatch() : nil
    }

    /// A worker leaves because there are too many, and leaves `startable` operations to others.
    mutating func workerLeftToOthers(_ stay: WorkerStay, startable: Int) -> Wake? {
        workers[stay.index].badge = nil
        roster.workerLeft(stay.index)
        return startable > 0 ? toWatch() : nil
    }

    /// A ``WorkerWatch`` is to look at the queue, if none does yet.
    private mutating func toWatch() -> Wake? {
        guard !isWatched else { return nil }
        isWatched = true
        roster.watchBegan()
        return .watch
    }

    /// Takes in what a look at the workers has found.
    ///
    /// - Returns: The workers to call now, and when to look again in nanoseconds, if at all.
    mutating func looked(_ look: ThreadDemand.Look) -> (called: [Worker], pause: UInt64?) {
        let called = roster.looked(look).map { worker($0) }
        isWatched = !roster.mayRest
        return (called, isWatched ? roster.pause : nil)
    }

    var activeCount: Int { roster.active }

    /// Takes an idle worker, which has to work then.
    mutating func takeIdle() -> Worker? { roster.idleWorker().map { worker($0) } }

    mutating func searchBegan() { roster.searchBegan() }
    mutating func searchEnded() { roster.searchEnded() }

    /// Where operations are asked again: a thread that no blocked operation holds.
    mutating func queueToLook() -> DispatchQueue {
        if let lookQueue { return lookQueue }
        let made = DispatchQueue(label: "\(name) readiness", qos: quality)
        lookQueue = made
        return made
    }

    private mutating func worker(_ index: Int) -> Worker {
        if index == workers.count {
            let queue = DispatchQueue(label: "\(name) worker \(index)", qos: quality)
            workers.append((queue, nil))
        }
        return (index, workers[index].queue)
    }
}
