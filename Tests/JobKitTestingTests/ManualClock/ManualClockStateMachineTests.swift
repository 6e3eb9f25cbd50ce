import Testing

@testable import JobKitTesting

@Suite struct ManualClockStateMachineTests {
    typealias Machine = ManualClockStateMachine<String>

    private func due(_ names: String...) -> [Machine.Resumption] {
        names.map { Machine.Resumption(waiter: $0, ending: .due) }
    }

    private func cancelled(_ names: String...) -> [Machine.Resumption] {
        names.map { Machine.Resumption(waiter: $0, ending: .cancelled) }
    }

    private func sleep(
        _ name: String,
        until deadline: Duration,
        on machine: inout Machine
    ) -> (id: Machine.WaiterID, resumptions: [Machine.Resumption]) {
        let id = machine.waitAnnounced()
        return (id, machine.sleepBegan(id, until: deadline, waiter: name))
    }

    @Test func advanceResumesThoseDueByDeadlineThenInOrder() {
        var machine = Machine()
        #expect(sleep("late", until: .seconds(3), on: &machine).resumptions == [])
        #expect(sleep("second", until: .seconds(2), on: &machine).resumptions == [])
        #expect(sleep("third", until: .seconds(2), on: &machine).resumptions == [])
        #expect(sleep("first", until: .seconds(1), on: &machine).resumptions == [])
        #expect(machine.nextDeadline == .seconds(1))
        #expect(machine.advanced(by: .milliseconds(999)) == [])
        #expect(machine.advanced(by: .milliseconds(1001)) == due("first", "second", "third"))
        #expect(machine.nextDeadline == .seconds(3))
        #expect(machine.advanced(by: .seconds(1)) == due("late"))
        #expect(machine.nextDeadline == nil)
        #expect(machine.isIdle)
    }

    @Test func sleepUntilThePresentEndsAtOnce() {
        var machine = Machine()
        #expect(machine.advanced(by: .seconds(1)) == [])
        #expect(sleep("now", until: .seconds(1), on: &machine).resumptions == due("now"))
        #expect(sleep("past", until: .zero, on: &machine).resumptions == due("past"))
        #expect(machine.isIdle)
    }

    @Test(arguments: 0..<5) func cancelledSleeperIsTheOnlyOneResumed(index: Int) {
        var machine = Machine()
        let names = ["a", "b", "c", "d", "e"]
        let ids = names.map { sleep($0, until: .seconds(1), on: &machine).id }
        #expect(machine.waitCancelled(ids[index]) == cancelled(names[index]))
        #expect(machine.waitCancelled(ids[index]) == [])
        let others = names.filter { $0 != names[index] }
        #expect(machine.advanced(by: .seconds(1)).map(\.waiter) == others)
        #expect(machine.isIdle)
    }

    @Test func cancellationBeforeTheBeginningEndsTheSleepAtItsBeginning() {
        var machine = Machine()
        let id = machine.waitAnnounced()
        #expect(machine.waitCancelled(id) == [])
        #expect(
            machine.sleepBegan(id, until: .seconds(1), waiter: "early") == cancelled("early")
        )
        #expect(machine.isIdle)
    }

    @Test func cancellationBeforeTheBeginningBeatsAPastDeadline() {
        var machine = Machine()
        let id = machine.waitAnnounced()
        #expect(machine.waitCancelled(id) == [])
        #expect(machine.sleepBegan(id, until: .zero, waiter: "early") == cancelled("early"))
    }

    @Test func cancellationAfterTheEndLeavesNothingBehind() {
        var machine = Machine()
        let id = sleep("done", until: .seconds(1), on: &machine).id
        #expect(machine.advanced(by: .seconds(1)) == due("done"))
        #expect(machine.waitCancelled(id) == [])
        #expect(machine.isIdle)
    }

    @Test func watcherEndsWithTheSleeperItWaitedFor() {
        var machine = Machine()
        let one = machine.waitAnnounced()
        let two = machine.waitAnnounced()
        #expect(machine.watchBegan(two, count: 2, waiter: "two") == [])
        #expect(machine.watchBegan(one, count: 1, waiter: "one") == [])
        #expect(sleep("a", until: .seconds(1), on: &machine).resumptions == due("one"))
        #expect(sleep("b", until: .seconds(1), on: &machine).resumptions == due("two"))
        let later = machine.waitAnnounced()
        #expect(machine.watchBegan(later, count: 2, waiter: "later") == due("later"))
    }

    @Test func watcherOfNobodyEndsAtOnce() {
        var machine = Machine()
        let id = machine.waitAnnounced()
        #expect(machine.watchBegan(id, count: 0, waiter: "none") == due("none"))
        #expect(machine.isIdle)
    }

    @Test func cancelledWatcherIsResumed() {
        var machine = Machine()
        let early = machine.waitAnnounced()
        #expect(machine.waitCancelled(early) == [])
        #expect(machine.watchBegan(early, count: 1, waiter: "early") == cancelled("early"))
        let id = machine.waitAnnounced()
        #expect(machine.watchBegan(id, count: 1, waiter: "watcher") == [])
        #expect(machine.waitCancelled(id) == cancelled("watcher"))
        #expect(machine.isIdle)
    }

    @Test func advancingBackwardsTraps() async {
        await #expect(processExitsWith: .failure) {
            ManualClock().advance(by: .seconds(-1))
        }
    }

    @Test(arguments: UInt64(1)...20) func randomWalkResumesEverybodyOnceAndInOrder(seed: UInt64) {
        var random = SplitMix(state: seed)
        var machine = Machine()
        var deadlines: [String: Duration] = [:]
        var ids: [(name: String, id: Machine.WaiterID)] = []
        var resumed: [String] = []
        for step in 0..<500 {
            let outcome: [Machine.Resumption]
            switch random.next() % 4 {
            case 0, 1:
                let name = "\(step)"
                let deadline = machine.now + .seconds(Int64(random.next() % 9) - 1)
                deadlines[name] = deadline
                let sleeper = sleep(name, until: deadline, on: &machine)
                ids.append((name, sleeper.id))
                outcome = sleeper.resumptions
            case 2 where !ids.isEmpty:
                outcome = machine.waitCancelled(ids[Int(random.next() % UInt64(ids.count))].id)
                #expect(outcome.allSatisfy { $0.ending == .cancelled })
            default:
                outcome = machine.advanced(by: .seconds(Int64(random.next() % 4)))
                let order = outcome.compactMap { deadlines[$0.waiter] }
                #expect(order == order.sorted())
                #expect(order.allSatisfy { $0 <= machine.now })
            }
            resumed += outcome.map(\.waiter)
        }
        resumed += machine.advanced(by: .seconds(100)).map(\.waiter)
        #expect(resumed.count == ids.count)
        #expect(Set(resumed) == Set(ids.map(\.name)))
        #expect(machine.isIdle)
    }
}

/// A small generator, so that a walk can be repeated from its seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
