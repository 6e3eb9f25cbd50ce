import Testing

@testable import JobKit

@Suite struct ActionQueueTests {
    @Test func firstToDecideDelivers() {
        var actions = ActionQueue<String>()
        #expect(actions.actionsDecided(["a", "b"]) == true)
        #expect(actions.nextAction() == "a")
        #expect(actions.nextAction() == "b")
        #expect(actions.nextAction() == nil)
    }

    @Test func actionsDecidedDuringADeliveryAreLeftToItInOrder() {
        var actions = ActionQueue<String>()
        #expect(actions.actionsDecided(["a"]) == true)
        #expect(actions.actionsDecided(["b"]) == false)
        #expect(actions.nextAction() == "a")
        #expect(actions.actionsDecided(["c"]) == false)
        #expect(actions.nextAction() == "b")
        #expect(actions.nextAction() == "c")
        #expect(actions.actionsDecided([]) == false)
        #expect(actions.nextAction() == nil)
        #expect(actions.actionsDecided(["d"]) == true)
    }

    @Test func nothingDecidedNeedsNoDelivery() {
        var actions = ActionQueue<String>()
        #expect(actions.actionsDecided([]) == false)
        #expect(actions.actionsDecided(["a"]) == true)
    }
}
