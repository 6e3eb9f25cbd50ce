import Testing

@testable import JobKit

@Suite struct WorkerRosterTests {
    @Test func nothingToStartWakesNobody() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        #expect(roster.workerToCall(startable: 0, isOwnWorker: false) == .nobody)
        #expect(roster.looked(ThreadDemand.Look(time: 1)) == [])
    }

    /// A lost wake-up would be something to start, no active worker, and nobody woken.
    @Test func firstEntryAlwaysWakesAWorker() {
        for startable in 1..<40 {
            var roster = WorkerRoster(cores: 2, limit: 64)
            #expect(roster.workerToCall(startable: startable, isOwnWorker: false) == .idle(0))
            roster.workerLeft(0)
            #expect(roster.workerToCall(startable: startable, isOwnWorker: false) == .idle(0))
        }
    }

    @Test func workerThatSearchesIsEnough() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        roster.searchBegan()
        #expect(roster.workerToCall(startable: 5, isOwnWorker: false) == .searching)
        roster.searchEnded()
        #expect(roster.workerToCall(startable: 5, isOwnWorker: false) == .idle(1))
        #expect(roster.workerToCall(startable: 5, isOwnWorker: false) == .nobody)
    }

    @Test func whatAWorkerAddsForItselfIsLeftToItUpToABacklog() {
        var roster = WorkerRoster(cores: 2, limit: 64)
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

    @Test func workerCalledInVainIsCalledForABacklogOnlyUntilTheNextLook() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        let backlog = WorkerRoster.ownBacklog
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(1))
        roster.workerLeft(1, wasInVain: true)
        #expect(roster.workerToCall(startable: backlog - 1, isOwnWorker: false) == .nobody)
        #expect(roster.workerToCall(startable: backlog, isOwnWorker: false) == .idle(1))
        roster.workerLeft(1)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .nobody)
        #expect(roster.looked(ThreadDemand.Look(time: 1, active: 1, startable: 1)) == [1])
    }

    /// A call in vain must not leave something startable to a queue in which nobody works.
    @Test func onlyWorkerIsCalledAfterACallInVainToo() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(1))
        roster.workerLeft(1, wasInVain: true)
        roster.workerLeft(0)
        #expect(roster.workerToCall(startable: 1, isOwnWorker: false) == .idle(0))
    }

    @Test func deliveryTakesNoWorkerBeyondTheCores() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        #expect(roster.idleWorker() == 0)
        #expect(roster.idleWorker() == 1)
        #expect(roster.idleWorker() == nil)
        roster.workerLeft(0)
        #expect(roster.idleWorker() == 0)
    }

    @Test func workersThatWaitAreDoubledAndStayWanted() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        for _ in 0..<2 { _ = roster.idleWorker() }
        var woken: [Int] = []
        for active in [2, 4, 8, 16, 32, 64] {
            #expect(roster.active == active)
            let look = ThreadDemand.Look(time: 1, waiting: active, active: active, startable: 100)
            woken += roster.looked(look)
        }
        #expect(woken.sorted() == Array(2..<64))
        for worker in 0..<64 { roster.workerLeft(worker) }
        // The next burst gets them at once.
        for _ in 0..<64 { #expect(roster.idleWorker() != nil) }
        #expect(roster.idleWorker() == nil)
        roster.workerLeft(63, wasInVain: true)
        #expect(roster.hasTooMany == false)
        for worker in (2..<63).reversed() { roster.workerLeft(worker) }
        #expect(roster.idleWorker() == 2)
    }

    @Test func workersThatAreTooManyAreToLeave() {
        var roster = WorkerRoster(cores: 2, limit: 64)
        for _ in 0..<2 { _ = roster.idleWorker() }
        let blocked = ThreadDemand.Look(time: 1, waiting: 2, active: 2, startable: 9)
        #expect(roster.looked(blocked).count == 2)
        #expect(roster.hasTooMany == false)
        let busy = ThreadDemand.judgedTime
        let look = ThreadDemand.Look(time: busy, used: 2 * busy, active: 4, startable: 9)
        #expect(roster.looked(look) == [])
        #expect(roster.hasTooMany == true)
        roster.workerLeft(3)
        roster.workerLeft(2)
        #expect(roster.hasTooMany == false)
    }

    @Test(arguments: UInt64(0)..<20) func randomWalkNeverHasOneWorkerTwice(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var roster = WorkerRoster(cores: 3, limit: 10)
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
                let look = ThreadDemand.Look(
                    time: .random(in: 0..<100_000_000, using: &generator),
                    waiting: .random(in: 0...active.count, using: &generator),
                    lasting: .random(in: 0...active.count, using: &generator),
                    used: .random(in: 0..<300_000_000, using: &generator),
                    active: active.count,
                    startable: startable,
                    startCount: .random(in: 0..<3, using: &generator)
                )
                for worker in roster.looked(look) { #expect(active.insert(worker).inserted) }
            case 3:
                roster.watchBegan()
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
