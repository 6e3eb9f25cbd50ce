import Dispatch

/// The threads of a queue, each a serial `DispatchQueue`, which has its own thread.
struct TaskQueueWorkers {
    /// Decides which workers are active, and identifies each worker by its number.
    var pool: WorkerPool
    private var workers: [(queue: DispatchQueue, activity: WorkerActivity?)] = []
    private let name: String
    private let quality: DispatchQoS

    init(_ pool: WorkerPool, name: String, quality: DispatchQoS) {
        self.pool = pool
        self.name = name
        self.quality = quality
    }

    /// Returns the queue of a worker, which is created when the worker is first woken.
    mutating func queue(of worker: Int) -> DispatchQueue {
        while worker >= workers.count {
            let label = "\(name) worker \(workers.count)"
            workers.append((DispatchQueue(label: label, qos: quality), nil))
        }
        return workers[worker].queue
    }

    /// Records that a woken worker has arrived.
    mutating func workerArrived(_ worker: Int, _ activity: WorkerActivity) {
        workers[worker].activity = activity
        pool.workerArrived()
    }

    /// The activities of the workers that are active.
    var activities: [WorkerActivity] { workers.compactMap(\.activity) }

    /// Records that a worker leaves, and possibly leaves `startable` operations to others.
    mutating func workerLeft(_ worker: Int, startable: Int) -> WorkerPool.WakeAction {
        let began = workers[worker].activity.take()?.began.load(ordering: .relaxed)
        return pool.workerLeft(worker, startable: startable, hasStarted: began != 0)
    }
}
