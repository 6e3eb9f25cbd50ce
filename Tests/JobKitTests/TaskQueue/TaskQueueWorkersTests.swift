import Testing

@testable import JobKit

@Suite struct TaskQueueWorkersTests {
    private let cost = WorkerStay.costOfACall
    private var workers = TaskQueueWorkers(
        WorkerRoster(parallelism: 2, limit: 64),
        name: "queue",
        quality: .default
    )

    /// What follows when the last of `called` workers leaves at `now`.
    private func wake(after called: Int, now: UInt64, startCount: Int) -> TaskQueueWorkers.Wake? {
        var workers = workers
        for _ in 0..<called { _ = workers.takeIdle() }
        let stay = workers.stay(of: called - 1, from: 0)
        return workers.workerLeft(stay, at: now, startCount: startCount)
    }

    /// Somebody must find out when calling a worker is worth it again.
    @Test func queueIsWatchedAfterACallInVain() {
        let quick = Int(cost / StartPace.quickStart) + 1
        guard case .monitor = wake(after: 2, now: cost - 1, startCount: quick) else {
            Issue.record("nobody watches the queue")
            return
        }
        #expect(wake(after: 1, now: cost - 1, startCount: quick) == nil)
        #expect(wake(after: 2, now: cost, startCount: 2 * quick) == nil)
        #expect(wake(after: 2, now: cost - 1, startCount: quick - 1) == nil)
    }

    @Test mutating func callInVainIsForgottenWhenTimeHasPassed() {
        for _ in 0..<2 { _ = workers.takeIdle() }
        let stay = workers.stay(of: 1, from: 0)
        guard case .monitor = workers.workerLeft(stay, at: 0, startCount: 1) else {
            Issue.record("the call was not in vain")
            return
        }
        // The queue is watched already, and the worker that is left takes what comes.
        let wake = workers.toWake(startable: 1, isOwnWorker: false)
        #expect(wake == nil)
        workers.timePassed()
        guard case .worker(let worker) = workers.toWake(startable: 1, isOwnWorker: false) else {
            Issue.record("nobody was called")
            return
        }
        #expect(worker.index == 1)
    }
}
