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

    /// Whether no task waits, and no state of earlier waits is left.
    private func isIdle(_ machine: Machine) -> Bool { elementCount(of: machine) == 0 }

    /// Returns the number of elements in all collections of a value.
    private func elementCount(of value: Any) -> Int {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary: return mirror.children.count
        case .struct: return mirror.children.map { elementCount(of: $0.value) }.reduce(0, +)
        default: return 0
        }
    }

    private func sleep(
        _ name: String,
        until deadline: Duration,
        on machine: inout Machine
    ) -> (id: Machine.WaiterID, resumptions: [Machine.Resumption]) {
        let id = machine.nextID()
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
        #expect(isIdle(machine))
    }

    @Test func sleepUntilThePresentEndsAtOnce() {
        var machine = Machine()
        #expect(machine.advanced(by: .seconds(1)) == [])
        #expect(sleep("now", until: .seconds(1), on: &machine).resumptions == due("now"))
        #expect(sleep("past", until: .zero, on: &machine).resumptions == due("past"))
        #expect(isIdle(machine))
    }

    @Test(arguments: 0..<5) func cancelledSleeperIsTheOnlyOneResumed(index: Int) {
        var machine = Machine()
        let names = ["a", "b", "c", "d", "e"]
        let ids = names.map { sleep($0, until: .seconds(1), on: &machine).id }
        #expect(machine.waitCancelled(ids[index]) == cancelled(names[index]))
        #expect(machine.waitCancelled(ids[index]) == [])
        let others = names.filter { $0 != names[index] }
        #expect(machine.advanced(by: .seconds(1)).map(\.waiter) == others)
        #expect(isIdle(machine))
    }

    @Test func cancellationAfterTheEndLeavesNothingBehind() {
        var machine = Machine()
        let id = sleep("done", until: .seconds(1), on: &machine).id
        #expect(machine.advanced(by: .seconds(1)) == due("done"))
        #expect(machine.waitCancelled(id) == [])
        #expect(isIdle(machine))
    }

    @Test func watcherEndsWithTheSleeperItWaitedFor() {
        var machine = Machine()
        let one = machine.nextID()
        let two = machine.nextID()
        #expect(machine.watchBegan(two, for: .sleepers(2), waiter: "two") == [])
        #expect(machine.watchBegan(one, for: .sleepers(1), waiter: "one") == [])
        #expect(sleep("a", until: .seconds(1), on: &machine).resumptions == due("one"))
        #expect(sleep("b", until: .seconds(1), on: &machine).resumptions == due("two"))
        let later = machine.nextID()
        #expect(machine.watchBegan(later, for: .sleepers(2), waiter: "later") == due("later"))
    }

    @Test func watcherOfNoSleeperEndsAtOnce() {
        var machine = Machine()
        let id = machine.nextID()
        #expect(machine.watchBegan(id, for: .sleepers(0), waiter: "none") == due("none"))
        #expect(isIdle(machine))
    }

    @Test func cancelledWatcherIsResumed() {
        var machine = Machine()
        let id = machine.nextID()
        #expect(machine.watchBegan(id, for: .sleepers(1), waiter: "watcher") == [])
        #expect(machine.waitCancelled(id) == cancelled("watcher"))
        #expect(isIdle(machine))
    }

    @Test func watcherOfADeadlineEndsWithTheSleeperToExactlyThen() {
        var machine = Machine()
        let (two, three) = (machine.nextID(), machine.nextID())
        #expect(machine.watchBegan(three, for: .deadline(.seconds(3)), waiter: "three") == [])
        #expect(machine.watchBegan(two, for: .deadline(.seconds(2)), waiter: "two") == [])
        #expect(sleep("a", until: .seconds(1), on: &machine).resumptions == [])
        #expect(sleep("b", until: .seconds(3), on: &machine).resumptions == due("three"))
        #expect(sleep("c", until: .seconds(2), on: &machine).resumptions == due("two"))
        let again = machine.nextID()
        #expect(
            machine.watchBegan(again, for: .deadline(.seconds(2)), waiter: "again") == due("again")
        )
        #expect(machine.advanced(by: .seconds(3)).count == 3)
        #expect(isIdle(machine))
    }

    @Test func watcherOfADeadlineIgnoresSleepersThatHaveEnded() {
        var machine = Machine()
        let first = sleep("first", until: .seconds(1), on: &machine).id
        let second = sleep("second", until: .seconds(1), on: &machine).id
        #expect(machine.waitCancelled(first) == cancelled("first"))
        let early = machine.nextID()
        #expect(
            machine.watchBegan(early, for: .deadline(.seconds(1)), waiter: "early") == due("early")
        )
        #expect(machine.waitCancelled(second) == cancelled("second"))
        let late = machine.nextID()
        #expect(machine.watchBegan(late, for: .deadline(.seconds(1)), waiter: "late") == [])
        #expect(machine.waitCancelled(late) == cancelled("late"))
        #expect(isIdle(machine))
    }

    @Test func watchersOfBothKindsEndInTheOrderInWhichTheyBegan() {
        var machine = Machine()
        let ids = (0..<4).map { _ in machine.nextID() }
        #expect(machine.watchBegan(ids[0], for: .sleepers(1), waiter: "count") == [])
        #expect(machine.watchBegan(ids[1], for: .deadline(.seconds(1)), waiter: "deadline") == [])
        #expect(machine.watchBegan(ids[2], for: .sleepers(1), waiter: "another") == [])
        #expect(machine.watchBegan(ids[3], for: .sleepers(2), waiter: "more") == [])
        let resumed = sleep("a", until: .seconds(1), on: &machine).resumptions
        #expect(resumed == due("count", "deadline", "another"))
    }

    @Test func timeStopsAtTheLongestDuration() {
        var machine = Machine()
        #expect(machine.advanced(by: Duration(attoseconds: .max)) == [])
        #expect(machine.advanced(by: .seconds(1)) == [])
        #expect(machine.now == Duration(attoseconds: .max))
    }

    #if os(macOS) || os(Linux)
    @Test func advancingBackwardsTraps() async {
        await #expect(processExitsWith: .failure) {
            ManualClock().advance(by: .seconds(-1))
        }
    }
    #endif

    @Test(arguments: UInt64(1)...20) func randomWalkResumesEachSleeperOnceAndInOrder(seed: UInt64) {
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
        #expect(isIdle(machine))
    }
}

/// A small generator that makes a walk reproducible from its seed.
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
