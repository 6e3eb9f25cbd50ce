import Dispatch

/// The threads of a queue: serial `DispatchQueue`s, which have threads of their own.
struct TaskQueueWorkers {
    /// Decides which of them work; a worker is its number there.
    var roster: WorkerRoster
    private var workers: [(queue: DispatchQueue, badge: WorkerBadge?)] = []
    /// Where operations are polled; made when it is needed.
    private var pollQueue: DispatchQueue?
    private let name: String
    private let quality: DispatchQoS

    init(_ roster: WorkerRoster, name: String, quality: DispatchQoS) {
        self.roster = roster
        self.name = name
        self.quality = quality
    }

    /// Where a worker works; made when it is first called.
    mutating func queue(of worker: Int) -> DispatchQueue {
        while worker >= workers.count {
            let label = "\(name) worker \(workers.count)"
            workers.append((DispatchQueue(label: label, qos: quality), nil))
        }
        return workers[worker].queue
    }

    /// A worker that was called has come.
    mutating func workerCame(_ worker: Int, _ badge: WorkerBadge) {
        workers[worker].badge = badge
        roster.workerCame()
    }

    /// The workers that are at work, with what can be told of each.
    var atWork: [WorkerBadge] { workers.compactMap(\.badge) }

    /// A worker has nothing to do any more, or leaves `startable` operations to others.
    mutating func workerLeft(_ worker: Int, startable: Int) -> WorkerRoster.Call {
        let began = workers[worker].badge.take()?.began.load(ordering: .relaxed)
        return roster.workerLeft(worker, startable: startable, hasStarted: began != 0)
    }

    /// Where operations are polled: a thread that no blocked operation holds.
    mutating func queueToPoll() -> DispatchQueue {
        let queue = pollQueue ?? DispatchQueue(label: "\(name) readiness", qos: quality)
        pollQueue = queue
        return queue
    }
}
