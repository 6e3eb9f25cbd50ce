import Testing

@testable import JobKit

@Suite struct LaunchDecisionsStateMachineTests {
    typealias Machine = LaunchDecisionsStateMachine<String, String>

    /// Returns an open machine with items that log `+item` and `-item`.
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
            #expect(machine.needSet(.needed, for: item) == [])
            #expect(machine.state(of: item) == .suspended)
        }
        #expect(machine.opened() == ["+a", "+y", "+x"])
        #expect(machine.opened() == [])
    }

    // D1
    @Test func higherItemWithdrawsTheLowerThenIsPresented() {
        var machine = machine(["a", "b"])
        #expect(machine.needSet(.needed, for: "b") == ["+b"])
        #expect(machine.needSet(.needed, for: "a") == ["-b", "+a"])
        #expect(machine.state(of: "b") == .suspended)
        #expect(machine.itemCompleted("a") == ["+b"])
    }

    // D1
    @Test func lowerItemWaitsForTheHigher() {
        var machine = machine(["a", "b"])
        #expect(machine.needSet(.needed, for: "a") == ["+a"])
        #expect(machine.needSet(.needed, for: "b") == [])
        #expect(machine.needSet(.unknown, for: "a") == ["-a", "+b"])
        #expect(machine.state(of: "a") == nil)
    }

    // D1
    @Test func independentItemsAreExecutingTogether() {
        var machine = machine(["a"], independent: ["x", "y"])
        #expect(machine.needSet(.needed, for: "x") == ["+x"])
        #expect(machine.needSet(.needed, for: "a") == ["+a"])
        #expect(machine.needSet(.needed, for: "y") == ["+y"])
        #expect(machine.itemCompleted("x") == [])
        #expect(machine.needSet(.notNeeded, for: "y") == ["-y"])
        #expect(machine.state(of: "x") == .completed)
        #expect(machine.state(of: "y") == nil)
        #expect(machine.state(of: "a") == .executing)
    }

    // D1
    @Test func independentItemNoLongerNeededBeforeTheOpeningIsNotPresented() {
        var machine = machine([], independent: ["x"], isOpen: false)
        _ = machine.needSet(.needed, for: "x")
        #expect(machine.needSet(.notNeeded, for: "x") == [])
        #expect(machine.opened() == [])
    }

    // D1
    @Test func unknownHigherItemDefersTheLowerIfConfigured() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        #expect(machine.needSet(.needed, for: "c") == [])
        #expect(machine.needSet(.notNeeded, for: "a") == [])
        #expect(machine.needSet(.notNeeded, for: "b") == ["+c"])
    }

    @Test func presentedItemStaysWhenAHigherOneBecomesUnknownAgain() {
        var machine = machine(["a", "b"], waitsForUnknown: true)
        _ = machine.needSet(.notNeeded, for: "a")
        #expect(machine.needSet(.needed, for: "b") == ["+b"])
        #expect(machine.needSet(.unknown, for: "a") == [])
        #expect(machine.state(of: "b") == .executing)
    }

    // D1: only the needed item of highest priority may execute, and it may still be unpresented.
    @Test func neededItemBelowAnUnknownOneStillWithdrawsALowerOne() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        for item in ["a", "b"] { _ = machine.needSet(.notNeeded, for: item) }
        #expect(machine.needSet(.needed, for: "c") == ["+c"])
        _ = machine.needSet(.unknown, for: "a")
        #expect(machine.needSet(.needed, for: "b") == ["-c"])
        #expect(machine.needSet(.notNeeded, for: "a") == ["+b"])
    }

    // D2
    @Test func completeCountsOnlyForAnExecutingItem() {
        var machine = machine(["a", "b"], independent: ["x"])
        for item in ["a", "b", "x", "stranger"] {
            #expect(machine.itemCompleted(item) == [])
            #expect(machine.state(of: item) == nil)
        }
        _ = machine.needSet(.needed, for: "b")
        _ = machine.needSet(.needed, for: "a")
        #expect(machine.itemCompleted("b") == [])
        #expect(machine.state(of: "b") == .suspended)
    }

    // D2
    @Test(arguments: [LaunchNeed.unknown, .notNeeded])
    func completedItemIsPresentedAgainOnlyAfterAnotherNeed(_ other: LaunchNeed) {
        var machine = machine(["a"])
        _ = machine.needSet(.needed, for: "a")
        _ = machine.itemCompleted("a")
        #expect(machine.needSet(.needed, for: "a") == [])
        #expect(machine.state(of: "a") == .completed)
        #expect(machine.needSet(other, for: "a") == [])
        #expect(machine.state(of: "a") == nil)
        #expect(machine.needSet(.needed, for: "a") == ["+a"])
    }

    // D2
    @Test func sameNeedAgainPresentsNothingAgain() {
        var machine = machine(["a"], independent: ["x"])
        for item in ["a", "x"] {
            #expect(machine.needSet(.needed, for: item) == ["+" + item])
            #expect(machine.needSet(.needed, for: item) == [])
        }
    }

    // D2
    @Test func prioritizedAboveTheExecutingItemWithdrawsIt() {
        var machine = machine(["a", "b", "c", "d"])
        for item in ["a", "c", "d"] { _ = machine.needSet(.needed, for: item) }
        #expect(machine.itemPrioritized("d", before: "c") == [])
        #expect(machine.itemPrioritized("b", before: "a") == [])
        #expect(machine.itemPrioritized("d", before: "a") == ["-a", "+d"])
        #expect(machine.itemCompleted("d") == ["+a"])
        #expect(machine.itemCompleted("a") == ["+c"])
    }

    // D2
    @Test func unknownItemPrioritizedAboveTheExecutingOneWithdrawsIt() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        #expect(machine.needSet(.needed, for: "a") == ["+a"])
        #expect(machine.itemPrioritized("c", before: "a") == ["-a"])
        #expect(machine.state(of: "a") == .suspended)
        #expect(machine.itemCompleted("a") == [])
        #expect(machine.needSet(.notNeeded, for: "c") == ["+a"])
    }

    // D2
    @Test func unknownItemPrioritizedAboveTheExecutingOneIsPresentedOnceNeeded() {
        var machine = machine(["a", "b", "c"], waitsForUnknown: true)
        _ = machine.needSet(.needed, for: "a")
        #expect(machine.itemPrioritized("c", before: "a") == ["-a"])
        #expect(machine.needSet(.needed, for: "c") == ["+c"])
        #expect(machine.itemCompleted("c") == ["+a"])
    }

    // D2
    @Test func unknownItemMovedUpBesideTheExecutingOneWithdrawsNothing() {
        var machine = machine(["a", "b", "c", "d", "e"], waitsForUnknown: true)
        for item in ["a", "b"] { _ = machine.needSet(.notNeeded, for: item) }
        #expect(machine.needSet(.needed, for: "c") == ["+c"])
        #expect(machine.itemPrioritized("e", before: "d") == [])
        for item in ["a", "b"] { #expect(machine.needSet(.unknown, for: item) == []) }
        #expect(machine.itemPrioritized("b", before: "a") == [])
        #expect(machine.state(of: "c") == .executing)
    }

    @Test func prioritizeNeverMovesAnItemDown() {
        var machine = machine(["a", "b", "c"])
        for item in ["a", "b", "c"] { _ = machine.needSet(.needed, for: item) }
        #expect(machine.itemPrioritized("a", before: "c") == [])
        #expect(machine.itemPrioritized("a", before: "a") == [])
        #expect(machine.itemCompleted("a") == ["+b"])
    }

    @Test func prioritizeOfAnItemOutsideTheListChangesNothing() {
        var machine = machine(["a"], independent: ["x"])
        for item in ["a", "x"] { _ = machine.needSet(.needed, for: item) }
        #expect(machine.itemPrioritized("x", before: "a") == [])
        #expect(machine.itemPrioritized("stranger", before: "a") == [])
        #expect(machine.itemPrioritized("a", before: "stranger") == [])
        #expect(machine.state(of: "x") == .executing)
    }

    @Test func itemInNeitherListIsNeverPresented() {
        var machine = machine(["a"])
        #expect(machine.presentationAdded("+stranger", for: "stranger") == [])
        #expect(machine.needSet(.needed, for: "stranger") == [])
        #expect(machine.need(for: "stranger") == .needed)
        #expect(machine.state(of: "stranger") == nil)
    }

    @Test func itemInBothListsCountsAsPrioritized() {
        var machine = machine(["a", "b", "a"], independent: ["b"])
        #expect(machine.needSet(.needed, for: "a") == ["+a"])
        #expect(machine.needSet(.needed, for: "b") == [])
        #expect(machine.itemCompleted("a") == ["+b"])
    }

    // D2
    @Test func severalClosuresOfAnItemAllRunInTheOrderAdded() {
        var machine = machine(["a"])
        _ = machine.presentationAdded("again", for: "a")
        machine.withdrawalAdded("also", for: "a")
        #expect(machine.needSet(.needed, for: "a") == ["+a", "again"])
        #expect(machine.needSet(.notNeeded, for: "a") == ["-a", "also"])
    }

    @Test func presentationAddedWhileExecutingRunsAtOnceAndAlone() {
        var machine = machine(["a"])
        _ = machine.needSet(.needed, for: "a")
        #expect(machine.presentationAdded("late", for: "a") == ["late"])
        _ = machine.itemCompleted("a")
        #expect(machine.presentationAdded("too late", for: "a") == [])
    }
}
