import Testing

@testable import JobKit

@Suite struct WorkerPoolTests {
    private var pool = WorkerPool(cores: 2, limit: 64)
    private let wakeTime = WorkerPool.wakeTime

    /// Lets a worker come, search until `now` and take an entry.
    ///
    /// By then, `startCount` operations have started.
    private mutating func search(until now: UInt64, startCount: Int) {
        pool.searchBegan()
        pool.measure(at: now, startCount: startCount)
        pool.searchEnded()
    }

    private mutating func action(
        _ startable: Int,
        by caller: WorkerPool.Caller = .other
    ) -> WorkerPool.WakeAction {
        pool.wakeAction(startable: startable, by: caller)
    }

    @Test mutating func entriesGetAsManyWorkersAsThereAreCores() {
        #expect(action(0) == .nobody)
        #expect(action(1) == .worker(0))
        #expect(action(1) == .worker(1))
        #expect(action(1) == .monitor, "somebody has to see whether those at work wait")
        #expect(action(1) == .nobody)
        #expect(pool.active == 2)
    }

    @Test mutating func searchingWorkerTakesEntriesInsteadOfWakingAnother() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        pool.searchBegan()
        #expect(action(1) == .nobody, "it looks soon")
        #expect(action(1_000) == .nobody, "it wakes others when it has taken an entry")
        pool.searchEnded()
        #expect(action(1) == .worker(1))
    }

    @Test mutating func searchLastsAsLongAsAWakeUpWhenEntriesComeOften() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        pool.measure(at: wakeTime, startCount: 1)
        pool.searchBegan()
        #expect(pool.searchContinues(after: 0) == false)
        pool.measure(at: 2 * wakeTime, startCount: 3)
        #expect(pool.searchContinues(after: wakeTime - 1) == true)
        #expect(pool.searchContinues(after: wakeTime) == false)
        pool.searchBegan()
        #expect(pool.searchContinues(after: 0) == false, "one that searches is enough")
    }

    // MARK: The value of a wake-up

    @Test mutating func workerIsCalledWhereEntriesWouldWaitLongerThanACallTakes() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        // There is a start for each tenth of a wake-up's time.
        search(until: wakeTime, startCount: 10)
        #expect(action(10) == .monitor)
        #expect(action(11) == .worker(1))
    }

    @Test mutating func eachWorkerThatIsToComeIsWorthACallsTime() {
        pool = WorkerPool(cores: 8, limit: 64)
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        search(until: wakeTime, startCount: 10)
        #expect(action(11) == .worker(1))
        #expect(action(20) == .monitor)
        #expect(action(21) == .worker(2))
        pool.workerArrived()
        #expect(action(21) == .worker(3))
    }

    @Test mutating func firstWorkerIsAlwaysCalled() {
        #expect(action(1) == .worker(0))
        search(until: wakeTime, startCount: 1_000)
        #expect(pool.workerLeft(0, startable: 0, hasStarted: true) == .nobody)
        #expect(action(1) == .worker(0))
    }

    @Test mutating func shortTimesAreAddedUpBeforeTheyAreMeasured() {
        #expect(action(1) == .worker(0))
        search(until: wakeTime, startCount: 100)
        search(until: 2 * wakeTime - 1, startCount: 101)
        #expect(action(2) == .monitor)
        search(until: 2 * wakeTime, startCount: 101)
        #expect(action(2) == .nobody, "one is to come")
        pool.workerArrived()
        #expect(action(2) == .worker(1))
    }

    /// Two workers may make their requests in another order than they read the clock.
    @Test mutating func timeMayGoBack() {
        #expect(action(1) == .worker(0))
        search(until: 10 * wakeTime, startCount: 10)
        search(until: 9 * wakeTime, startCount: 9)
        pool.workerArrived()
        #expect(action(1) == .monitor)
        #expect(action(2) == .worker(1))
    }

    // MARK: Waking threads

    @Test mutating func workerInAnOperationCallsAtOnceForAddedEntries() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        search(until: wakeTime, startCount: 1_000)
        #expect(action(1, by: .workerInOperation) == .worker(1))
        #expect(action(1, by: .workerInOperation) == .monitor, "one is to come")
    }

    @Test mutating func workerBetweenTwoOperationsTakesOneItself() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        #expect(action(1, by: .workerBetweenOperations) == .monitor)
        #expect(action(1, by: .workerBetweenOperations) == .nobody)
        #expect(action(2, by: .workerBetweenOperations) == .worker(1))
        pool.searchBegan()
        #expect(action(1, by: .workerBetweenOperations) == .nobody)
        #expect(action(16, by: .workerBetweenOperations) == .nobody)
    }

    @Test mutating func deliveryTakesNoWorkerBeyondTheCores() {
        #expect(pool.idleWorker() == 0)
        #expect(pool.idleWorker() == 1)
        #expect(pool.idleWorker() == nil)
        _ = pool.workerLeft(0, startable: 0, hasStarted: true)
        #expect(pool.idleWorker() == 0)
    }

    // MARK: Samples

    private func sampled(
        _ sample: WorkerPoolSizer.Sample,
        at now: UInt64 = 0
    ) -> (woken: [Int], pause: UInt64?) {
        var pool = pool
        return pool.sampled(sample, at: now)
    }

    @Test mutating func entriesLeftToOthersGetAWorkerAtTheNextCheck() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        search(until: wakeTime, startCount: 1_000)
        #expect(action(1) == .monitor)
        let sample = WorkerPoolSizer.Sample(time: 1, active: 2, startable: 1, startCount: 1_000)
        #expect(sampled(sample).woken == [1])
        pool.searchBegan()
        #expect(sampled(sample).woken == [])
    }

    @Test mutating func lookMeasuresTheStarts() {
        #expect(action(1) == .worker(0))
        pool.workerArrived()
        search(until: wakeTime, startCount: 1_000)
        let sample = WorkerPoolSizer.Sample(time: 1, active: 1, startCount: 1_001)
        _ = pool.sampled(sample, at: 3 * wakeTime)
        #expect(action(1) == .worker(1))
    }

    @Test mutating func workersThatWaitAreDoubledAndStayWanted() {
        for _ in 0..<2 { _ = pool.idleWorker() }
        var woken: [Int] = []
        for active in [2, 4, 8, 16, 32, 64] {
            #expect(pool.active == active)
            let sample = WorkerPoolSizer.Sample(
                time: 1,
                waiting: active,
                active: active,
                startable: 100
            )
            woken += pool.sampled(sample, at: 0).woken
        }
        #expect(woken.sorted() == Array(2..<64))
        for worker in 0..<64 { _ = pool.workerLeft(worker, startable: 0, hasStarted: true) }
        // The next burst gets them at once.
        for _ in 0..<64 { #expect(pool.idleWorker() != nil) }
        #expect(pool.idleWorker() == nil)
        _ = pool.workerLeft(63, startable: 0, hasStarted: false)
        #expect(pool.hasTooMany == false, "all of them waited at the last look")
    }

    @Test mutating func workerThatStartsNothingWasOneTooMany() {
        for _ in 0..<2 { _ = pool.idleWorker() }
        let blocked = WorkerPoolSizer.Sample(time: 1, waiting: 2, active: 2, startable: 9)
        #expect(pool.sampled(blocked, at: 0).woken == [2, 3])
        _ = pool.sampled(WorkerPoolSizer.Sample(time: 1, active: 4), at: 0)
        _ = pool.workerLeft(3, startable: 1, hasStarted: false)
        #expect(pool.hasTooMany == false, "it left something to others")
        _ = pool.workerLeft(2, startable: 0, hasStarted: false)
        #expect(pool.idleWorker() == nil)
    }

    @Test mutating func workersThatAreTooManyAreToLeave() {
        for _ in 0..<2 { _ = pool.idleWorker() }
        let blocked = WorkerPoolSizer.Sample(time: 1, waiting: 2, active: 2, startable: 9)
        #expect(pool.sampled(blocked, at: 0).woken.count == 2)
        #expect(pool.hasTooMany == false)
        let busy = WorkerPoolSizer.evaluationTime
        let sample = WorkerPoolSizer.Sample(time: busy, used: 2 * busy, active: 4, startable: 9)
        #expect(pool.sampled(sample, at: 0).woken == [])
        #expect(pool.hasTooMany == true)
        for worker in [3, 2] {
            let action = pool.workerLeft(worker, startable: 1, hasStarted: true)
            #expect(action == .nobody, "the queue is looked at")
        }
        #expect(pool.hasTooMany == false)
    }

    /// Threads beyond the number of cores leave if they are not needed, which takes a sample.
    @Test mutating func queueWithMoreWorkersThanCoresIsLookedAt() {
        for worker in 0..<2 { #expect(action(1) == .worker(worker)) }
        #expect(action(1) == .monitor)
        let blocked = WorkerPoolSizer.Sample(time: 1, waiting: 2, active: 2, startable: 1)
        #expect(pool.sampled(blocked, at: 0).woken == [2])
        // A queue that has had nothing to start for five samples is not sampled any longer.
        for count in 1...5 {
            let pause = pool.sampled(WorkerPoolSizer.Sample(time: 1, waiting: 3, active: 3), at: 0)
                .pause
            #expect((pause == nil) == (count == 5))
        }
        for worker in 0..<3 { _ = pool.workerLeft(worker, startable: 0, hasStarted: true) }
        for worker in [2, 1] { #expect(action(1) == .worker(worker)) }
        #expect(action(1) == .workerAndMonitor(0))
    }

    // MARK: Random walks

    /// No worker works twice, and a worker or sample finds every startable entry.
    @Test(arguments: UInt64(0)..<20) func randomWalkForgetsNothing(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var pool = WorkerPool(cores: 3, limit: 10)
        var (waking, working, searching) = (Set<Int>(), Set<Int>(), Set<Int>())
        var (isMonitored, now) = (false, UInt64(0))
        var active: Set<Int> { waking.union(working).union(searching) }
        func take(_ woken: Int) {
            #expect(!active.contains(woken) && waking.insert(woken).inserted)
        }
        func follow(_ action: WorkerPool.WakeAction) {
            if let woken = action.worker { take(woken) }
            if action.monitors { isMonitored = true }
        }
        for _ in 0..<2_000 {
            let startable = Int.random(in: 0..<20, using: &generator)
            now += .random(in: 0..<20_000, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                let caller: WorkerPool.Caller =
                    working.isEmpty
                    ? .other
                    : [.other, .workerInOperation, .workerBetweenOperations]
                        .randomElement(using: &generator) ?? .other
                follow(pool.wakeAction(startable: startable, by: caller))
                if startable > 0 {
                    #expect(!waking.isEmpty || !searching.isEmpty || isMonitored)
                }
            case 2:
                guard isMonitored else { continue }
                let sample = WorkerPoolSizer.Sample(
                    time: .random(in: 0..<100_000_000, using: &generator),
                    waiting: .random(in: 0...active.count, using: &generator),
                    busy: .random(in: 0...active.count, using: &generator),
                    used: .random(in: 0..<300_000_000, using: &generator),
                    active: active.count,
                    startable: startable,
                    startCount: .random(in: 0..<3, using: &generator)
                )
                let (woken, pause) = pool.sampled(sample, at: now)
                woken.forEach(take)
                isMonitored = pause != nil
                #expect(isMonitored || startable == 0)
            case 3:
                guard let worker = waking.randomElement(using: &generator) else { continue }
                waking.remove(worker)
                working.insert(worker)
                pool.workerArrived()
            case 4:
                guard let worker = working.randomElement(using: &generator) else { continue }
                working.remove(worker)
                searching.insert(worker)
                pool.searchBegan()
            default:
                guard let worker = searching.randomElement(using: &generator) else { continue }
                searching.remove(worker)
                pool.measure(at: now, startCount: .random(in: 0..<9, using: &generator))
                pool.searchEnded()
                guard pool.hasTooMany || startable == 0 else {
                    working.insert(worker)
                    continue
                }
                let hasStarted = Bool.random(using: &generator)
                follow(
                    pool.workerLeft(worker, startable: startable, hasStarted: hasStarted)
                )
                #expect(startable == 0 || isMonitored)
            }
            #expect(pool.active == active.count)
            #expect(active.count <= 10)
            #expect(active.allSatisfy { $0 < 10 })
        }
    }
}

extension WorkerPool.WakeAction {
    static let monitor = Self(monitors: true)

    static func worker(_ worker: Int) -> Self { Self(worker: worker) }

    static func workerAndMonitor(_ worker: Int) -> Self { Self(worker: worker, monitors: true) }
}
