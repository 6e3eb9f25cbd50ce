import Testing

@testable import JobKit

@Suite struct LaunchDecisionsStateMachineTests {
    typealias Machine = LaunchDecisionsStateMachine<String, String, String>

    /// An open machine whose items log `+item` and `-item`.
    private func machine(
        _ priority: [String],
        independent: Set<String> = [],
        waitsForUnknown: Bool = false,
        isOpen: Bool = true
    ) -> Machine {
        var machine = Machine(
            priority: priority,
            independent: independent,
            waitsForUnknown: waitsForUnknown
        )
        for item in Set(priority).union(independent) {
            _ = machine.presentationAdded("+" + item, for: item)
            machine.withdrawalAdded("-" + item, for: item)
        }
        if isOpen { _ = machine.opened() }
        return machine
    }

    // D1
    @Test func nothingIsPresentedBeforeTheOpening() {
        var machine = machine(["a", "b"], independent: ["x", "y"], isOpen: false)
        for item in ["b", "y", "a", "x"] {
            #expect(machine.needSet(.needed, for: item).reactions == [])
            #expect(machine.state(of: item) == .suspended)
        }
        #expect(machine.opened().reactions == ["+a", "+y", "+x"])
        #expect(machine.opened().reactions == [])
    }

    // D1
    @Test func higherItemWithdrawsTheLowerThenIsPresented() {
        var machine = machine(["a", "b"])
        #expect(machine.needSet(.needed, for: "b").reactions == ["+b"])
        #expect(machine.needSet(.needed, for: "a").reactions == ["-b", "+a"])
        #expect(machine.state(of: "b") == .suspended)
        #expect(machine.itemCompleted("a").reactions == ["+b"])
    }

    // D1
    @Test func lowerItemWaitsForTheHigher() {
        var machine = machine(["a", "b"])
        #expect(machine.needSet(.needed, for: "a").reactions == ["+a"])
        #expect(machine.needSet(.needed, for: "b").reactions == [])
        #expect(machine.needSet(.unknown, for: "a").reactions == ["-a", "+b"])
        #expect(machine.state(of: "a") == nil)
    }

    // D1
    @Test func independentItemsAreExecutingTogether() {
        var machine = machine(["a"], independent: ["x", "y"])
        #expect(machine.needSet(.needed, for: "x").reactions == ["+x"])
        #expect(machine.needSet(.needed, for: "a").reactions == ["+a"])
        #expect(machine.needSet(.needed, for: "y").reactions == ["+y"])
        #expect(machine.itemCompleted("x").reactions == [])
        #expect(machine.needSet(.notNeeded, for: "y").reactions == ["-y"])
        #expect(machine.state(of: "x") == .completed)
        #expect(machine.state(of: "y") == nil)
        #expect(machine.state(of: "a") == .executing)
    }

    // D1
    @Test func independentItemNoLongerNeededBeforeTheOpeningIsNotPresented() {
        var machine = machine([], independent: ["x"], isOpen: false)
        _ = machine.needSet(.needed, for: "x")
        #expect(machine.needSet(.notNeeded, for: "x").reactions == [])
        #expect(machine.opened().reactions == [])
    }

    // D1
    @Test func unknownHigherItemHoldsTheLowerBackIfAsked() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        #expect(machine.needSet(.needed, for: "c").reactions == [])
        #expect(machine.needSet(.notNeeded, for: "a").reactions == [])
        #expect(machine.needSet(.notNeeded, for: "b").reactions == ["+c"])
    }

    @Test func presentedItemStaysWhenAHigherOneBecomesUnknownAgain() {
        var machine = machine(["a", "b"], waitsForUnknown: true)
        _ = machine.needSet(.notNeeded, for: "a")
        #expect(machine.needSet(.needed, for: "b").reactions == ["+b"])
        #expect(machine.needSet(.unknown, for: "a").reactions == [])
        #expect(machine.state(of: "b") == .executing)
    }

    // D1: only the needed item of highest priority may be executing, and it may not be presented
    // yet
    @Test func neededItemBelowAnUnknownOneStillWithdrawsALowerOne() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        for item in ["a", "b"] { _ = machine.needSet(.notNeeded, for: item) }
        #expect(machine.needSet(.needed, for: "c").reactions == ["+c"])
        _ = machine.needSet(.unknown, for: "a")
        #expect(machine.needSet(.needed, for: "b").reactions == ["-c"])
        #expect(machine.needSet(.notNeeded, for: "a").reactions == ["+b"])
    }

    // D2
    @Test func completeCountsOnlyForAnExecutingItem() {
        var machine = machine(["a", "b"], independent: ["x"])
        for item in ["a", "b", "x", "stranger"] {
            #expect(machine.itemCompleted(item).reactions == [])
            #expect(machine.state(of: item) == nil)
        }
        _ = machine.needSet(.needed, for: "b")
        _ = machine.needSet(.needed, for: "a")
        #expect(machine.itemCompleted("b").reactions == [])
        #expect(machine.state(of: "b") == .suspended)
    }

    // D2
    @Test(arguments: [Need.unknown, .notNeeded])
    func completedItemIsPresentedAgainOnlyAfterAnotherNeed(_ other: Need) {
        var machine = machine(["a"])
        _ = machine.needSet(.needed, for: "a")
        _ = machine.itemCompleted("a")
        #expect(machine.needSet(.needed, for: "a").reactions == [])
        #expect(machine.state(of: "a") == .completed)
        #expect(machine.needSet(other, for: "a").reactions == [])
        #expect(machine.state(of: "a") == nil)
        #expect(machine.needSet(.needed, for: "a").reactions == ["+a"])
    }

    // D2
    @Test func sameNeedAgainPresentsNothingAgain() {
        var machine = machine(["a"], independent: ["x"])
        for item in ["a", "x"] {
            #expect(machine.needSet(.needed, for: item).reactions == ["+" + item])
            #expect(machine.needSet(.needed, for: item).reactions == [])
        }
    }

    // D2
    @Test func prioritizedAboveTheExecutingItemWithdrawsIt() {
        var machine = machine(["a", "b", "c", "d"])
        for item in ["a", "c", "d"] { _ = machine.needSet(.needed, for: item) }
        #expect(machine.itemPrioritized("d", before: "c").reactions == [])
        #expect(machine.itemPrioritized("b", before: "a").reactions == [])
        #expect(machine.itemPrioritized("d", before: "a").reactions == ["-a", "+d"])
        #expect(machine.itemCompleted("d").reactions == ["+a"])
        #expect(machine.itemCompleted("a").reactions == ["+c"])
    }

    // D2
    @Test func unknownItemPrioritizedAboveTheExecutingOneWithdrawsIt() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        #expect(machine.needSet(.needed, for: "a").reactions == ["+a"])
        #expect(machine.itemPrioritized("c", before: "a").reactions == ["-a"])
        #expect(machine.state(of: "a") == .suspended)
        #expect(machine.itemCompleted("a").reactions == [])
        #expect(machine.needSet(.notNeeded, for: "c").reactions == ["+a"])
    }

    // D2
    @Test func unknownItemPrioritizedAboveTheExecutingOneIsPresentedOnceNeeded() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        _ = machine.needSet(.needed, for: "a")
        #expect(machine.itemPrioritized("c", before: "a").reactions == ["-a"])
        #expect(machine.needSet(.needed, for: "c").reactions == ["+c"])
        #expect(machine.itemCompleted("c").reactions == ["+a"])
    }

    // D2
    @Test func unknownItemMovedUpBesideTheExecutingOneWithdrawsNothing() {
        var machine = machine(["a", "b", "c", "d", "e"], waitsForUnknown: true)
        for item in ["a", "b"] { _ = machine.needSet(.notNeeded, for: item) }
        #expect(machine.needSet(.needed, for: "c").reactions == ["+c"])
        #expect(machine.itemPrioritized("e", before: "d").reactions == [])
        for item in ["a", "b"] { #expect(machine.needSet(.unknown, for: item).reactions == []) }
        #expect(machine.itemPrioritized("b", before: "a").reactions == [])
        #expect(machine.state(of: "c") == .executing)
    }

    @Test func prioritizeNeverMovesAnItemDown() {
        var machine = machine(["a", "b", "c"])
        for item in ["a", "b", "c"] { _ = machine.needSet(.needed, for: item) }
        #expect(machine.itemPrioritized("a", before: "c").reactions == [])
        #expect(machine.itemPrioritized("a", before: "a").reactions == [])
        #expect(machine.itemCompleted("a").reactions == ["+b"])
    }

    @Test func prioritizeOfAnItemOutsideTheListChangesNothing() {
        var machine = machine(["a"], independent: ["x"])
        for item in ["a", "x"] { _ = machine.needSet(.needed, for: item) }
        #expect(machine.itemPrioritized("x", before: "a").reactions == [])
        #expect(machine.itemPrioritized("stranger", before: "a").reactions == [])
        #expect(machine.itemPrioritized("a", before: "stranger").reactions == [])
        #expect(machine.state(of: "x") == .executing)
    }

    @Test func itemInNeitherListIsNeverPresented() {
        var machine = machine(["a"])
        #expect(machine.presentationAdded("+stranger", for: "stranger").reactions == [])
        #expect(machine.needSet(.needed, for: "stranger").reactions == [])
        #expect(machine.need(for: "stranger") == .needed)
        #expect(machine.state(of: "stranger") == nil)
    }

    @Test func itemInBothListsCountsAsPrioritized() {
        var machine = machine(["a", "b", "a"], independent: ["b"])
        #expect(machine.needSet(.needed, for: "a").reactions == ["+a"])
        #expect(machine.needSet(.needed, for: "b").reactions == [])
        #expect(machine.itemCompleted("a").reactions == ["+b"])
    }

    // D2
    @Test func severalClosuresOfAnItemAllRunInTheOrderAdded() {
        var machine = machine(["a"])
        _ = machine.presentationAdded("again", for: "a")
        machine.withdrawalAdded("also", for: "a")
        #expect(machine.needSet(.needed, for: "a").reactions == ["+a", "again"])
        #expect(machine.needSet(.notNeeded, for: "a").reactions == ["-a", "also"])
    }

    @Test func presentationAddedWhileExecutingRunsAtOnceAndAlone() {
        var machine = machine(["a"])
        _ = machine.needSet(.needed, for: "a")
        #expect(machine.presentationAdded("late", for: "a").reactions == ["late"])
        _ = machine.itemCompleted("a")
        #expect(machine.presentationAdded("too late", for: "a").reactions == [])
    }

    @Test func subscriberHearsTheLatestValueAndThenEachOneSet() {
        var machine = machine(["a"])
        _ = machine.needSet(.needed, for: "a")
        let (id, first) = machine.subscriberAdded("reader", for: "a")
        #expect(first.updates.map(\.need) == [.needed])
        #expect(machine.needSet(.needed, for: "a").updates.map(\.need) == [.needed])
        #expect(machine.needSet(.notNeeded, for: "a").updates.map(\.subscriber) == ["reader"])
        #expect(machine.needSet(.notNeeded, for: "b").updates.isEmpty)
        #expect(machine.subscriberEnded(id, for: "a") == "reader")
        #expect(machine.subscriberEnded(id, for: "a") == nil)
        #expect(machine.needSet(.needed, for: "a").updates.isEmpty)
    }
}
