import Testing

@testable import JobKit

@Suite struct TaskQueueWorkersTests {
    private let cost = WorkerStay.costOfACall
    private var workers = TaskQueueWorkers(
        WorkerRoster(cores: 2, limit: 64),
        name: "queue",
        quality: .default
    )

    /// What follows when the last of `called` workers leaves at `now`.
    private func wake(after called: Int, now: UInt64, startCount: Int) -> TaskQueueWorkers.Wake? {
        var workers = workers
        for _ in 0..<called { _ = workers.takeIdle() }
        let stay = workers.workerCame(called - 1, WorkerBadge(at: 0))
        return workers.workerLeft(stay, at: now, startCount: startCount)
    }

    /// Somebody must find out when calling a worker is worth it again.
    @Test func queueIsWatchedAfterACallInVain() {
        let quick = Int(cost / StartPace.quickStart) + 1
        guard case .watch = wake(after: 2, now: cost - 1, startCount: quick) else {
            Issue.record("nobody watches the queue")
            return
        }
        #expect(wake(after: 1, now: cost - 1, startCount: quick) == nil)
        #expect(wake(after: 2, now: cost, startCount: 2 * quick) == nil)
        #expect(wake(after: 2, now: cost - 1, startCount: quick - 1) == nil)
    }

    @Test mutating func callInVainIsForgottenWithTheNextLook() {
        for _ in 0..<2 { _ = workers.takeIdle() }
        let stay = workers.workerCame(1, WorkerBadge(at: 0))
        guard case .watch = workers.workerLeft(stay, at: 0, startCount: 1) else {
            Issue.record("the call was not in vain")
            return
        }
        // The queue is looked at already, and the worker that is left takes what comes.
        let wake = workers.toWake(startable: 1, isOwnWorker: false)
        #expect(wake == nil)
        let look = ThreadDemand.Look(time: 1, active: 1, startable: 1)
        let (called, pause) = workers.looked(look)
        #expect(called.map(\.index) == [1])
        #expect(pause != nil)
    }

    /// Threads beyond the cores are given back where they are not needed, and that takes a look.
    @Test mutating func queueWithMoreWorkersThanCoresIsLookedAt() {
        for count in [1, 2] { #expect(isWatched(workers.toWake(startable: count)) == false) }
        #expect(isWatched(workers.toWake(startable: 1)) == true)
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 1)
        #expect(workers.looked(blocked).called.count == 1)
        // What is looked at already needs no second watch.
        #expect(isWatched(workers.toWake(startable: 1)) == false)
        #expect(workers.atWork.isEmpty)
    }

    @Test mutating func workerLeavesWhatItDoesNotStartToALook() {
        for _ in 0..<2 { _ = workers.takeIdle() }
        let stay = workers.workerCame(1, WorkerBadge(at: 0))
        #expect(workers.atWork.count == 1)
        #expect(isWatched(workers.workerLeftToOthers(stay, startable: 1)) == true)
        #expect(workers.activeCount == 1)
        #expect(workers.atWork.isEmpty)
    }

    /// A queue that has had nothing to start for five looks is looked at no more.
    @Test mutating func looksEnd() {
        for _ in 0..<2 { _ = workers.takeIdle() }
        _ = workers.toWake(startable: 1)
        for count in 1...5 {
            let pause = workers.looked(ThreadDemand.Look(time: 1, active: 2)).pause
            #expect((pause == nil) == (count == 5))
        }
        #expect(isWatched(workers.toWake(startable: 1)) == true)
    }

    private func isWatched(_ wake: TaskQueueWorkers.Wake?) -> Bool {
        switch wake {
        case .watch, .workerAndWatch: true
        case .worker, .searchingWorker, nil: false
        }
    }
}

extension TaskQueueWorkers {
    fileprivate mutating func toWake(startable: Int) -> Wake? {
        toWake(startable: startable, isOwnWorker: false)
    }
}
