import Testing

@testable import JobKit

@Suite struct TaskQueueWorkersTests {
    private var workers = TaskQueueWorkers(
        WorkerRoster(cores: 2, limit: 64),
        name: "queue",
        quality: .default
    )

    @Test mutating func workerIsAtWorkFromItsComingUntilItLeaves() {
        guard case .worker(let worker) = workers.toWake(startable: 1, by: .other) else {
            Issue.record("no worker was called")
            return
        }
        #expect(worker.index == 0)
        #expect(worker.queue.label == "queue worker 0")
        #expect(workers.activeCount == 1)
        #expect(workers.atWork.isEmpty)
        workers.workerCame(0, WorkerBadge(at: 0))
        #expect(workers.atWork.count == 1)
        #expect(workers.workerLeft(0, startable: 0) == nil)
        #expect(workers.activeCount == 0)
        #expect(workers.atWork.isEmpty)
    }

    @Test mutating func threadsAreMadeWhenTheyAreNeededAndKept() {
        let made = (0..<2).map { _ in workers.takeIdle()?.queue }
        #expect(made.compactMap(\.self).count == 2)
        #expect(workers.takeIdle() == nil)
        workers.workerCame(1, WorkerBadge(at: 0))
        _ = workers.workerLeft(1, startable: 0)
        #expect(workers.takeIdle()?.queue === made[1])
    }

    @Test mutating func workerLeavesWhatItDoesNotStartToALook() {
        for worker in 0..<2 {
            _ = workers.takeIdle()
            workers.workerCame(worker, WorkerBadge(at: 0))
        }
        guard case .watch = workers.workerLeft(1, startable: 1) else {
            Issue.record("nobody looks")
            return
        }
        let look = ThreadDemand.Look(time: 1, active: 1, startable: 1)
        let (called, pause) = workers.looked(look, at: 1)
        #expect(called.map(\.index) == [1])
        #expect(pause != nil)
    }

    @Test mutating func workerThatBeganNothingWasCalledInVain() {
        for worker in 0..<2 {
            _ = workers.takeIdle()
            workers.workerCame(worker, WorkerBadge(at: 0))
        }
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 9)
        #expect(workers.looked(blocked, at: 1).called.count == 2)
        _ = workers.looked(ThreadDemand.Look(time: 1, active: 4), at: 1)
        let badge = WorkerBadge(at: 0)
        badge.began.store(1, ordering: .relaxed)
        workers.workerCame(3, badge)
        _ = workers.workerLeft(3, startable: 0)
        #expect(workers.takeIdle() != nil)
        workers.workerCame(3, WorkerBadge(at: 0))
        _ = workers.workerLeft(3, startable: 0)
        #expect(workers.hasTooMany == true)
        #expect(workers.takeIdle() == nil)
    }
}
