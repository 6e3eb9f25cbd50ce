import Testing

@testable import JobKit

@Suite struct OutboxTests {
    @Test func firstToDecideDelivers() {
        var outbox = Outbox<String>()
        #expect(outbox.actionsDecided(["a", "b"]) == true)
        #expect(outbox.nextAction() == "a")
        #expect(outbox.nextAction() == "b")
        #expect(outbox.nextAction() == nil)
    }

    @Test func actionsDecidedDuringADeliveryAreLeftToItInOrder() {
        var outbox = Outbox<String>()
        #expect(outbox.actionsDecided(["a"]) == true)
        #expect(outbox.actionsDecided(["b"]) == false)
        #expect(outbox.nextAction() == "a")
        #expect(outbox.actionsDecided(["c"]) == false)
        #expect(outbox.nextAction() == "b")
        #expect(outbox.nextAction() == "c")
        #expect(outbox.actionsDecided([]) == false)
        #expect(outbox.nextAction() == nil)
        #expect(outbox.actionsDecided(["d"]) == true)
    }

    @Test func nothingDecidedNeedsNoDelivery() {
        var outbox = Outbox<String>()
        #expect(outbox.actionsDecided([]) == false)
        #expect(outbox.actionsDecided(["a"]) == true)
    }
}
