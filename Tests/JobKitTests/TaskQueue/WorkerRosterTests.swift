import Testing

@testable import JobKit

@Suite struct WorkerRosterTests {
    @Test func nothingToStartWakesNobody() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        #expect(roster.workerToCall(startable: 0, isOwnWorker: false) == .nobody)
        #expect(roster.workersToWakeWhenStarved(startable: 0) == [])
    }

    /// A lost wake-up would be something to start, no active worker, and nobody woken.
    @Test func firstEntryAlwaysWakesAWorker() {
        for startable in 1..<40 {
            var roster = WorkerRoster(parallelism: 2, limit: 64)
            #expect(roster.workerToCall(startable: startable, isOwnWorker: false) == .idle(0))
            roster.workerLeft(0)
            #expect(roster.workerToCall(startable: startable, isOwnWorker: false) == .idle(0))
        }
    }

    @Test func workerThatSearchesIsEnough() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        roster.searchBegan()
        #expect(roster.workerToCall(startable: 5, isOwnWorker: false) == .searching)
        roster.searchEnded()
        #expect(roster.workerToCall(startable: 5, isOwnWorker: false) == .idle(1))
        #expect(roster.workerToCall(startable: 5, isOwnWorker: false) == .nobody)
    }

    @Test func whatAWorkerAddsForItselfIsLeftToItUpToABacklog() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        let backlog = WorkerRoster.ownBacklog
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(1))
        roster.searchBegan()
        #expect(roster.workerToCall(startable: backlog - 1, isOwnWorker: true) == .nobody)
        #expect(roster.workerToCall(startable: backlog, isOwnWorker: true) == .searching)
        roster.searchEnded()
        roster.workerLeft(1)
        #expect(roster.workerToCall(startable: backlog - 1, isOwnWorker: true) == .nobody)
        #expect(roster.workerToCall(startable: backlog, isOwnWorker: true) == .idle(1))
    }

    @Test func workerCalledInVainIsCalledForABacklogOnlyUntilTimeHasPassed() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        let backlog = WorkerRoster.ownBacklog
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(1))
        roster.workerLeft(1, wasInVain: true)
        #expect(roster.workerToCall(startable: backlog - 1, isOwnWorker: false) == .nobody)
        #expect(roster.workerToCall(startable: backlog, isOwnWorker: false) == .idle(1))
        roster.workerLeft(1)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .nobody)
        roster.timePassed()
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(1))
    }

    /// A call in vain must not leave something startable to a queue in which nobody works.
    @Test func onlyWorkerIsCalledAfterACallInVainToo() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(1))
        roster.workerLeft(1, wasInVain: true)
        roster.workerLeft(0)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
    }

    @Test func deliveryTakesNoWorkerBeyondTheCores() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        #expect(roster.idleWorker() == 0)
        #expect(roster.idleWorker() == 1)
        #expect(roster.idleWorker() == nil)
        roster.workerLeft(0)
        #expect(roster.idleWorker() == 0)
    }

    @Test func starvedQueueGrowsUpToItsLimit() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        var woken: [Int] = []
        for _ in 0..<40 { woken += roster.workersToWakeWhenStarved(startable: 1_000) }
        #expect(woken.sorted() == Array(0..<64))
        #expect(roster.active == 64)
    }

    @Test func starvedQueueGetsNoMoreThreadsThanItCanUse() {
        var roster = WorkerRoster(parallelism: 2, limit: 64)
        for _ in 0..<5 { _ = roster.workersToWakeWhenStarved(startable: 100) }
        let active = roster.active
        #expect(roster.workersToWakeWhenStarved(startable: 1).count == 1)
        #expect(roster.active == active + 1)
    }

    @Test(arguments: UInt64(0)..<20) func randomWalkNeverHasOneWorkerTwice(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var roster = WorkerRoster(parallelism: 3, limit: 10)
        var active: Set<Int> = []
        for _ in 0..<2_000 {
            let startable = Int.random(in: 0..<20, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let isOwn = Bool.random(using: &generator) && !active.isEmpty
                let call = roster.workerToCall(startable: startable, isOwnWorker: isOwn)
                if case .idle(let woken) = call { #expect(active.insert(woken).inserted) }
                if startable > 0, !isOwn { #expect(!active.isEmpty) }
            case 2:
                for worker in roster.workersToWakeWhenStarved(startable: startable) {
                    #expect(active.insert(worker).inserted)
                }
            case 3:
                roster.timePassed()
            default:
                guard let worker = active.randomElement(using: &generator) else { continue }
                active.remove(worker)
                roster.workerLeft(worker, wasInVain: .random(using: &generator))
            }
            #expect(roster.active == active.count)
            #expect(active.count <= 10)
            #expect(active.allSatisfy { $0 < 10 })
        }
    }
}
