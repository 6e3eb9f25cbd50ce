import Testing

@testable import JobKit

@Suite struct WorkerRosterTests {
    private var roster = WorkerRoster(cores: 2, limit: 64)
    private let callTime = WorkerRoster.callTime

    /// Lets a worker come, search until `now` and take an entry.
    ///
    /// By then, `startCount` operations have started.
    private mutating func search(until now: UInt64, startCount: Int) {
        roster.searchBegan()
        roster.measure(at: now, startCount: startCount)
        roster.searchEnded()
    }

    private mutating func call(
        _ startable: Int,
        by caller: WorkerRoster.Caller = .other
    ) -> WorkerRoster.Call {
        roster.call(startable: startable, by: caller)
    }

    @Test mutating func entriesGetAsManyWorkersAsThereAreCores() {
        #expect(call(0) == .nobody)
        #expect(call(1) == .worker(0))
        #expect(call(1) == .worker(1))
        #expect(call(1) == .watch, "somebody has to see whether those at work wait")
        #expect(call(1) == .nobody)
        #expect(roster.active == 2)
    }

    @Test mutating func searchingWorkerTakesABatchInsteadOfWakingAnother() {
        let batch = WorkerRoster.batch
        #expect(call(1) == .worker(0))
        roster.workerCame()
        roster.searchBegan()
        #expect(call(batch - 1) == .nobody, "it looks soon")
        #expect(call(batch) == .searching)
        roster.searchEnded()
        #expect(call(1) == .worker(1))
    }

    @Test mutating func searchLastsAsLongAsAWakeUpWhenEntriesComeOften() {
        #expect(call(1) == .worker(0))
        roster.workerCame()
        roster.measure(at: callTime, startCount: 1)
        roster.searchBegan()
        #expect(roster.searchGoesOn(after: 0) == false)
        roster.measure(at: 2 * callTime, startCount: 3)
        #expect(roster.searchGoesOn(after: callTime - 1) == true)
        #expect(roster.searchGoesOn(after: callTime) == false)
        roster.searchBegan()
        #expect(roster.searchGoesOn(after: 0) == false, "one that searches is enough")
    }

    // MARK: The value of a wake-up

    @Test mutating func workerIsCalledWhereEntriesWouldWaitLongerThanACallTakes() {
        #expect(call(1) == .worker(0))
        roster.workerCame()
        // There is a start for each tenth of a wake-up's time.
        search(until: callTime, startCount: 10)
        #expect(call(10) == .watch)
        #expect(call(11) == .worker(1))
    }

    @Test mutating func eachWorkerThatIsToComeIsWorthACallsTime() {
        roster = WorkerRoster(cores: 8, limit: 64)
        #expect(call(1) == .worker(0))
        roster.workerCame()
        search(until: callTime, startCount: 10)
        #expect(call(11) == .worker(1))
        #expect(call(20) == .watch)
        #expect(call(21) == .worker(2))
        roster.workerCame()
        #expect(call(21) == .worker(3))
    }

    @Test mutating func firstWorkerIsAlwaysCalled() {
        #expect(call(1) == .worker(0))
        search(until: callTime, startCount: 1_000)
        #expect(roster.workerLeft(0, startable: 0, hasStarted: true) == .nobody)
        #expect(call(1) == .worker(0))
    }

    @Test mutating func shortTimesAreAddedUpBeforeTheyAreMeasured() {
        #expect(call(1) == .worker(0))
        search(until: callTime, startCount: 100)
        search(until: 2 * callTime - 1, startCount: 101)
        #expect(call(2) == .watch)
        search(until: 2 * callTime, startCount: 101)
        #expect(call(2) == .nobody, "one is to come")
        roster.workerCame()
        #expect(call(2) == .worker(1))
    }

    /// Two workers may make their requests in another order than they read the clock.
    @Test mutating func timeMayGoBack() {
        #expect(call(1) == .worker(0))
        search(until: 10 * callTime, startCount: 10)
        search(until: 9 * callTime, startCount: 9)
        roster.workerCame()
        #expect(call(1) == .watch)
        #expect(call(2) == .worker(1))
    }

    // MARK: Waking threads

    @Test mutating func workerInAnOperationCallsAtOnceForAddedEntries() {
        #expect(call(1) == .worker(0))
        roster.workerCame()
        search(until: callTime, startCount: 1_000)
        #expect(call(1, by: .workerInOperation) == .worker(1))
        #expect(call(1, by: .workerInOperation) == .watch, "one is to come")
    }

    @Test mutating func workerBetweenTwoOperationsTakesOneItself() {
        #expect(call(1) == .worker(0))
        roster.workerCame()
        #expect(call(1, by: .workerBetweenOperations) == .watch)
        #expect(call(1, by: .workerBetweenOperations) == .nobody)
        #expect(call(2, by: .workerBetweenOperations) == .worker(1))
        roster.searchBegan()
        #expect(call(1, by: .workerBetweenOperations) == .nobody)
        #expect(call(16, by: .workerBetweenOperations) == .searching)
    }

    @Test mutating func deliveryTakesNoWorkerBeyondTheCores() {
        #expect(roster.idleWorker() == 0)
        #expect(roster.idleWorker() == 1)
        #expect(roster.idleWorker() == nil)
        _ = roster.workerLeft(0, startable: 0, hasStarted: true)
        #expect(roster.idleWorker() == 0)
    }

    // MARK: Samples

    private func looked(
        _ look: ThreadDemand.Look,
        at now: UInt64 = 0
    ) -> (woken: [Int], pause: UInt64?) {
        var roster = roster
        return roster.looked(look, at: now)
    }

    @Test mutating func entriesLeftToOthersGetAWorkerAtTheNextCheck() {
        #expect(call(1) == .worker(0))
        roster.workerCame()
        search(until: callTime, startCount: 1_000)
        #expect(call(1) == .watch)
        let look = ThreadDemand.Look(time: 1, active: 2, startable: 1, startCount: 1_000)
        #expect(looked(look).woken == [1])
        roster.searchBegan()
        #expect(looked(look).woken == [])
    }

    @Test mutating func lookMeasuresTheStarts() {
        #expect(call(1) == .worker(0))
        roster.workerCame()
        search(until: callTime, startCount: 1_000)
        let look = ThreadDemand.Look(time: 1, active: 1, startCount: 1_001)
        _ = roster.looked(look, at: 3 * callTime)
        #expect(call(1) == .worker(1))
    }

    @Test mutating func workersThatWaitAreDoubledAndStayWanted() {
        for _ in 0..<2 { _ = roster.idleWorker() }
        var woken: [Int] = []
        for active in [2, 4, 8, 16, 32, 64] {
            #expect(roster.active == active)
            let look = ThreadDemand.Look(time: 1, waiting: active, active: active, startable: 100)
            woken += roster.looked(look, at: 0).woken
        }
        #expect(woken.sorted() == Array(2..<64))
        for worker in 0..<64 { _ = roster.workerLeft(worker, startable: 0, hasStarted: true) }
        // The next burst gets them at once.
        for _ in 0..<64 { #expect(roster.idleWorker() != nil) }
        #expect(roster.idleWorker() == nil)
        _ = roster.workerLeft(63, startable: 0, hasStarted: false)
        #expect(roster.hasTooMany == false, "all of them waited at the last look")
    }

    @Test mutating func workerThatStartsNothingWasOneTooMany() {
        for _ in 0..<2 { _ = roster.idleWorker() }
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 9)
        #expect(roster.looked(blocked, at: 0).woken == [2, 3])
        _ = roster.looked(ThreadDemand.Look(time: 1, active: 4), at: 0)
        _ = roster.workerLeft(3, startable: 1, hasStarted: false)
        #expect(roster.hasTooMany == false, "it left something to others")
        _ = roster.workerLeft(2, startable: 0, hasStarted: false)
        #expect(roster.idleWorker() == nil)
    }

    @Test mutating func workersThatAreTooManyAreToLeave() {
        for _ in 0..<2 { _ = roster.idleWorker() }
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 9)
        #expect(roster.looked(blocked, at: 0).woken.count == 2)
        #expect(roster.hasTooMany == false)
        let busy = ThreadDemand.judgedTime
        let look = ThreadDemand.Look(time: busy, used: 2 * busy, active: 4, startable: 9)
        #expect(roster.looked(look, at: 0).woken == [])
        #expect(roster.hasTooMany == true)
        for worker in [3, 2] {
            let call = roster.workerLeft(worker, startable: 1, hasStarted: true)
            #expect(call == .nobody, "the queue is looked at")
        }
        #expect(roster.hasTooMany == false)
    }

    /// Threads beyond the number of cores leave if they are not needed, which takes a sample.
    @Test mutating func queueWithMoreWorkersThanCoresIsLookedAt() {
        for worker in 0..<2 { #expect(call(1) == .worker(worker)) }
        #expect(call(1) == .watch)
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 1)
        #expect(roster.looked(blocked, at: 0).woken == [2])
        // A queue that has had nothing to start for five samples is not sampled any longer.
        for count in 1...5 {
            let pause = roster.looked(ThreadDemand.Look(time: 1, waiting: 3, active: 3), at: 0)
                .pause
            #expect((pause == nil) == (count == 5))
        }
        for worker in 0..<3 { _ = roster.workerLeft(worker, startable: 0, hasStarted: true) }
        for worker in [2, 1] { #expect(call(1) == .worker(worker)) }
        #expect(call(1) == .workerAndWatch(0))
    }

    // MARK: Random walks

    /// No worker works twice, and a worker or sample finds every startable entry.
    @Test(arguments: UInt64(0)..<20) func randomWalkForgetsNothing(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var roster = WorkerRoster(cores: 3, limit: 10)
        var (coming, working, searching) = (Set<Int>(), Set<Int>(), Set<Int>())
        var (isWatched, now) = (false, UInt64(0))
        var active: Set<Int> { coming.union(working).union(searching) }
        func take(_ woken: Int) {
            #expect(!active.contains(woken) && coming.insert(woken).inserted)
        }
        func follow(_ call: WorkerRoster.Call) {
            switch call {
            case .nobody: break
            case .searching: #expect(!searching.isEmpty)
            case .worker(let woken): take(woken)
            case .watch: isWatched = true
            case .workerAndWatch(let woken):
                take(woken)
                isWatched = true
            }
        }
        for _ in 0..<2_000 {
            let startable = Int.random(in: 0..<20, using: &generator)
            now += .random(in: 0..<20_000, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                let caller: WorkerRoster.Caller =
                    working.isEmpty
                    ? .other
                    : [.other, .workerInOperation, .workerBetweenOperations]
                        .randomElement(using: &generator) ?? .other
                follow(roster.call(startable: startable, by: caller))
                if startable > 0 {
                    #expect(!coming.isEmpty || !searching.isEmpty || isWatched)
                }
            case 2:
                guard isWatched else { continue }
                let look = ThreadDemand.Look(
                    time: .random(in: 0..<100_000_000, using: &generator),
                    waiting: .random(in: 0...active.count, using: &generator),
                    lasting: .random(in: 0...active.count, using: &generator),
                    used: .random(in: 0..<300_000_000, using: &generator),
                    active: active.count,
                    startable: startable,
                    startCount: .random(in: 0..<3, using: &generator)
                )
                let (woken, pause) = roster.looked(look, at: now)
                woken.forEach(take)
                isWatched = pause != nil
                #expect(isWatched || startable == 0)
            case 3:
                guard let worker = coming.randomElement(using: &generator) else { continue }
                coming.remove(worker)
                working.insert(worker)
                roster.workerCame()
            case 4:
                guard let worker = working.randomElement(using: &generator) else { continue }
                working.remove(worker)
                searching.insert(worker)
                roster.searchBegan()
            default:
                guard let worker = searching.randomElement(using: &generator) else { continue }
                searching.remove(worker)
                roster.measure(at: now, startCount: .random(in: 0..<9, using: &generator))
                roster.searchEnded()
                guard roster.hasTooMany || startable == 0 else {
                    working.insert(worker)
                    continue
                }
                let hasStarted = Bool.random(using: &generator)
                follow(
                    roster.workerLeft(worker, startable: startable, hasStarted: hasStarted)
                )
                #expect(startable == 0 || isWatched)
            }
            #expect(roster.active == active.count)
            #expect(active.count <= 10)
            #expect(active.allSatisfy { $0 < 10 })
        }
    }
}
