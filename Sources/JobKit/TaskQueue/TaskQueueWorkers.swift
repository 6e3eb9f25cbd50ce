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
        case monitor
    }

    private var roster: WorkerRoster
    private var workers: [DispatchQueue] = []
    /// Where operations are asked again whether they are ready; made when it is needed.
    private var lookQueue: DispatchQueue?
    /// Whether the ``StarvationMonitor`` watches the queue.
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
        case .idle(let index): return .worker(worker(index))
        case .nobody: break
        }
        return toWatch()
    }

    /// A worker has come, at `now` in nanoseconds.
    func stay(of index: Int, from now: UInt64) -> WorkerStay {
        WorkerStay(index: index, begin: now, isBesideOthers: roster.active > 1)
    }

    /// A worker has nothing to do any more, at `now` in nanoseconds, when the queue has started
    /// `startCount` operations; returns what is to be done if the worker was called in vain.
    mutating func workerLeft(_ stay: WorkerStay, at now: UInt64, startCount: Int) -> Wake? {
        let isQuick = pace.isQuick(at: now, startCount: startCount)
        let wasInVain = stay.wasShort(at: now) && isQuick
        roster.workerLeft(stay.index, wasInVain: wasInVain)
        return wasInVain ? toWatch() : nil
    }

    /// The ``StarvationMonitor`` is to look at the queue, if it does not yet.
    private mutating func toWatch() -> Wake? {
        guard !isWatched else { return nil }
        isWatched = true
        return .monitor
    }

    /// Takes an idle worker, which has to work then.
    mutating func takeIdle() -> Worker? { roster.idleWorker().map { worker($0) } }

    /// Takes the workers that are to work beside those that are blocked.
    mutating func takeWhenStarved(startable: Int) -> [Worker] {
        roster.workersToWakeWhenStarved(startable: startable).map { worker($0) }
    }

    mutating func searchBegan() { roster.searchBegan() }
    mutating func searchEnded() { roster.searchEnded() }
    mutating func timePassed() { roster.timePassed() }
    mutating func watchEnded() { isWatched = false }

    /// Where operations are asked again: a thread that no blocked operation holds.
    mutating func queueToLook() -> DispatchQueue {
        if let lookQueue { return lookQueue }
        let made = DispatchQueue(label: "\(name) readiness", qos: quality)
        lookQueue = made
        return made
    }

    private mutating func worker(_ index: Int) -> Worker {
        if index == workers.count {
            workers.append(DispatchQueue(label: "\(name) worker \(index)", qos: quality))
        }
        return (index, workers[index])
    }
}
