import Testing

@testable import JobKit

@Suite struct TaskQueueWorkersTests {
    private var workers = TaskQueueWorkers(
        WorkerRoster(cores: 2, limit: 64),
        name: "queue",
        quality: .default
    )

    @Test mutating func workerIsAtWorkFromItsComingUntilItLeaves() {
        #expect(workers.roster.call(startable: 1, by: .other) == .worker(0))
        #expect(workers.queue(of: 0).label == "queue worker 0")
        #expect(workers.atWork.isEmpty)
        workers.workerCame(0, WorkerBadge(at: 0))
        #expect(workers.atWork.count == 1)
        #expect(workers.workerLeft(0, startable: 0) == .nobody)
        #expect(workers.roster.active == 0)
        #expect(workers.atWork.isEmpty)
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
            call()
            workers.workerCame(worker, WorkerBadge(at: 0))
        }
        #expect(workers.workerLeft(1, startable: 1) == .watch)
        let look = ThreadDemand.Look(time: 1, active: 1, startable: 1)
        let (called, pause) = workers.roster.looked(look, at: 1)
        #expect(called == [1])
        #expect(pause != nil)
    }

    @Test mutating func workerThatStartedNothingCountsAsNeedless() {
        for worker in 0..<2 {
            call()
            workers.workerCame(worker, WorkerBadge(at: 0))
        }
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 9)
        for worker in workers.roster.looked(blocked, at: 1).woken { _ = workers.queue(of: worker) }
        _ = workers.roster.looked(ThreadDemand.Look(time: 1, active: 4), at: 1)
        let badge = WorkerBadge(at: 0)
        badge.began.store(1, ordering: .relaxed)
        workers.workerCame(3, badge)
        _ = workers.workerLeft(3, startable: 0)
        #expect(workers.roster.idleWorker() == 3)
        workers.workerCame(3, WorkerBadge(at: 0))
        _ = workers.workerLeft(3, startable: 0)
        #expect(workers.roster.hasTooMany == true)
        #expect(workers.roster.idleWorker() == nil)
    }

    private mutating func call() {
        if let worker = workers.roster.idleWorker() { _ = workers.queue(of: worker) }
    }
}
