import Testing

@testable import JobKit

@Suite struct DeliveryTurnTests {
    @Test func firstShareTakesTheTurn() {
        let turn = DeliveryTurn()
        #expect(turn.isOpen == true)
        #expect(turn.claim() == .taken)
        #expect(turn.claim() == .left)
        #expect(turn.isOpen == false)
    }

    @Test func turnIsGivenBackWhenAllSharesWereSeen() {
        let turn = DeliveryTurn()
        #expect(turn.claim() == .taken)
        #expect(turn.claim() == .left)
        #expect(turn.giveBack(turn.seen) == true)
        #expect(turn.isOpen == true)
        #expect(turn.claim() == .taken)
    }

    @Test func turnIsKeptWhenAShareCameAfterTheLook() {
        let turn = DeliveryTurn()
        #expect(turn.claim() == .taken)
        let seen = turn.seen
        #expect(turn.claim() == .left)
        #expect(turn.giveBack(seen) == false)
        #expect(turn.isOpen == false)
        #expect(turn.giveBack(turn.seen) == true)
    }

    @Test func turnThatIsMadeTakenIsOpenedByItsOwner() {
        let turn = DeliveryTurn(isTaken: true)
        #expect(turn.claim() == .left)
        turn.open()
        #expect(turn.isOpen == true)
        #expect(turn.claim() == .taken)
    }

    @Test func closedTurnIsNeverTakenAgain() {
        let turn = DeliveryTurn()
        #expect(turn.claim() == .taken)
        let seen = turn.seen
        turn.close()
        #expect(turn.giveBack(seen) == false)
        for _ in 0..<1_000 { #expect(turn.claim() == .closed) }
        #expect(turn.isOpen == false)
    }

    @Test func everyShareOfManyThreadsIsDoneByOneAtATime() async {
        let turn = DeliveryTurnBox()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { turn.addShare() } }
            }
        }
        #expect(turn.done == 8_000)
        #expect(turn.turn.isOpen == true)
    }
}

/// Counts completed shares without a lock, because only one thread at a time has the turn.
private final class DeliveryTurnBox: Sendable {
    let turn = DeliveryTurn()
    private let pending = Guarded(0)
    nonisolated(unsafe) private(set) var done = 0

    func addShare() {
        pending.withLock { $0 += 1 }
        guard turn.claim() == .taken else { return }
        var seen = turn.seen
        while true {
            done += pending.withLock { pending in
                defer { pending = 0 }
                return pending
            }
            if turn.giveBack(seen) { return }
            seen = turn.seen
        }
    }
}
