import Testing

@testable import RemoteJobs

@Suite struct TurnsTests {
    @Test func jobsTakeTurnsHoweverMuchWaitsOfOne() {
        var turns = Turns<String>()
        for number in 0..<5 { turns.append("a\(number)", of: "a", priority: 0) }
        for number in 0..<2 { turns.append("b\(number)", of: "b", priority: 0) }
        #expect(turns.takeAll() == ["a0", "b0", "a1", "b1", "a2", "a3", "a4"])
        #expect(turns.next() == nil)
    }

    @Test func aPriorityIsSoManyMoreInEachTurn() {
        var turns = Turns<String>()
        for number in 0..<6 {
            turns.append("a\(number)", of: "a", priority: 2)
            turns.append("b\(number)", of: "b", priority: 0)
        }
        let expected = ["a0", "a1", "a2", "b0", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "b5"]
        #expect(turns.takeAll() == expected)
    }

    @Test func aJobThatHadNothingLeftComesBehindThoseThatWait() {
        var turns = Turns<String>()
        turns.append("a0", of: "a", priority: 0)
        turns.append("b0", of: "b", priority: 0)
        #expect(turns.next() == "a0")
        turns.append("a1", of: "a", priority: 0)
        #expect(turns.takeAll() == ["b0", "a1"])
    }
}

@Suite struct PrefetchPlanTests {
    @Test func whatHasEndedAndIsNotConfirmedLeavesRoomForWhatCouldRun() {
        let plan = PrefetchPlan(width: 20, most: 56)
        #expect(plan.held(ofEachOf: 1, ended: 10) == 30)
        #expect(plan.held(ofEachOf: 1, ended: 100) == 56)
        #expect(PrefetchPlan.isFewer(20, than: 30, isStarved: true))
        #expect(!PrefetchPlan.isFewer(20, than: 30, isStarved: false))
        #expect(!PrefetchPlan.isFewer(20, than: 24, isStarved: true))
        #expect(PrefetchPlan.isFewer(20, than: 40, isStarved: false))
    }

    @Test func aWorkerHoldsItsWidthUntilItKnowsHowLongTasksTake() {
        #expect(PrefetchPlan(width: 4, most: 24).held == 4)
        #expect(PrefetchPlan(width: 4, most: 2).held == 2)
    }

    @Test func manyShortTasksAreHeldAndNoLongOneThatWaits() {
        for (seconds, held) in [(0.0, 256), (0.001, 256), (0.01, 44), (0.1, 8), (1, 4), (1e9, 4)] {
            var plan = PrefetchPlan(width: 4, most: 256)
            plan.ran(seconds)
            #expect(plan.held == held, "\(seconds) s")
        }
    }

    @Test func jobsShareWhatIsHeldAndEachHasOneAtLeast() {
        let plan = PrefetchPlan(width: 4, most: 24)
        #expect(plan.held(ofEachOf: 0) == 4)
        #expect(plan.held(ofEachOf: 3) == 2)
        #expect(plan.held(ofEachOf: 20) == 1)
    }
}

@Suite struct WaitsTests {
    @Test func aWaitIsSpokenOfAfterASecondAndThenEachMinuteAndOnceWhenItIsOver() {
        var waits = Waits()
        waits.began(.broker, "no broker", at: .seconds(10))
        #expect(waits.due(at: .milliseconds(10_900)) == [])
        #expect(waits.due(at: .seconds(11)) == ["no broker"])
        waits.began(.broker, "still no broker", at: .seconds(12))
        #expect(waits.due(at: .seconds(70)) == [])
        #expect(waits.due(at: .seconds(71)) == ["still no broker"])
        let over = waits.ended(.broker, at: .seconds(80))
        #expect(over?.words == "still no broker")
        #expect(over?.seconds == 70)
        #expect(waits.ended(.broker, at: .seconds(80)) == nil)
        #expect(waits.due(at: .seconds(999)) == [])
    }

    @Test func aShortWaitIsNotSpokenOf() {
        var waits = Waits()
        waits.began(.room, "full", at: .zero)
        #expect(waits.words == [.room: "full"])
        #expect(waits.ended(.room, at: .milliseconds(900)) == nil)
        #expect(waits.words.isEmpty)
    }
}
