import Testing

@testable import JobKit

@Suite struct TaskQueueWorkersTests {
    private var workers = TaskQueueWorkers(
        WorkerPool(cores: 2, limit: 64),
        name: "queue",
        quality: .default
    )

    @Test mutating func workerIsAtWorkFromItsComingUntilItLeaves() {
        #expect(workers.pool.wakeAction(startable: 1, by: .other) == .worker(0))
        #expect(workers.queue(of: 0).label == "queue worker 0")
        #expect(workers.activities.isEmpty)
        workers.workerArrived(0, WorkerActivity(at: 0))
        #expect(workers.activities.count == 1)
        #expect(workers.workerLeft(0, startable: 0) == .nobody)
        #expect(workers.pool.active == 0)
        #expect(workers.activities.isEmpty)
    }

    @Test mutating func threadsAreMadeWhenTheyAreNeededAndKept() {
        // The second one may be requested first.
        let second = workers.queue(of: 1)
        #expect(second.label == "queue worker 1")
        #expect(workers.queue(of: 0).label == "queue worker 0")
        #expect(workers.queue(of: 1) === second)
    }

    @Test mutating func workerLeavesUnstartedEntriesToTheNextCheck() {
        for worker in 0..<2 {
            action()
            workers.workerArrived(worker, WorkerActivity(at: 0))
        }
        #expect(workers.workerLeft(1, startable: 1) == .monitor)
        let sample = WorkerPoolSizer.Sample(time: 1, active: 1, startable: 1)
        let (wakeCount, pause) = workers.pool.sampled(sample, at: 1)
        #expect(wakeCount == [1])
        #expect(pause != nil)
    }

    @Test mutating func workerThatStartedNothingCountsAsNeedless() {
        for worker in 0..<2 {
            action()
            workers.workerArrived(worker, WorkerActivity(at: 0))
        }
        let blocked = WorkerPoolSizer.Sample(time: 1, waiting: 2, active: 2, startable: 9)
        for worker in workers.pool.sampled(blocked, at: 1).woken { _ = workers.queue(of: worker) }
        _ = workers.pool.sampled(WorkerPoolSizer.Sample(time: 1, active: 4), at: 1)
        let activity = WorkerActivity(at: 0)
        activity.began.store(1, ordering: .relaxed)
        workers.workerArrived(3, activity)
        _ = workers.workerLeft(3, startable: 0)
        #expect(workers.pool.idleWorker() == 3)
        workers.workerArrived(3, WorkerActivity(at: 0))
        _ = workers.workerLeft(3, startable: 0)
        #expect(workers.pool.hasTooMany == true)
        #expect(workers.pool.idleWorker() == nil)
    }

    private mutating func action() {
        if let worker = workers.pool.idleWorker() { _ = workers.queue(of: worker) }
    }
}
