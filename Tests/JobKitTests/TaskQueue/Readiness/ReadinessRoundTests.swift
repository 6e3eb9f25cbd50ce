import Testing

@testable import JobKit

@Suite struct ReadinessRoundTests {
    private func ticket(_ number: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: number, slot: number)
    }

    private func made<Value>(_ value: Value?) throws -> Value { try #require(value) }

    @Test func waitingEntriesAreAskedTenTimesASecond() throws {
        var round = ReadinessRound()
        let first = try made(round.entryWaits(ticket(1)))
        #expect(first.milliseconds == 100)
        let second = round.entryWaits(ticket(2))
        #expect(second == nil)
        let asked = try made(round.roundBegan(first))
        #expect(asked == ReadinessRound.Asked(waiting: [ticket(1), ticket(2)]))
        let next = round.roundEnded(first, remaining: .init(waiting: [ticket(2)]))
        #expect(next?.milliseconds == 100)
    }

    @Test func roundsEndWithTheLastWhoWaits() throws {
        var round = ReadinessRound()
        let only = try made(round.entryWaits(ticket(1)))
        _ = round.roundBegan(only)
        let next = round.roundEnded(only, remaining: .init())
        #expect(next == nil)
        let later = round.entryWaits(ticket(2))
        #expect(later != nil)
    }

    @Test func newNoIsAskedAgainSoonAndThenMoreSlowly() throws {
        var round = ReadinessRound()
        var next = round.entryIsUnready(ticket(1))
        var pauses: [Int] = []
        while let begun = next, pauses.count < 10 {
            pauses.append(begun.milliseconds)
            let asked = round.roundBegan(begun)
            #expect(asked?.unready == [ticket(1)])
            next = round.roundEnded(begun, remaining: .init(unready: [ticket(1)]))
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100])
    }

    @Test func newNoTakesTheRoundsPlaceThatWasToCome() throws {
        var round = ReadinessRound()
        let late = try made(round.entryWaits(ticket(1)))
        let soon = try made(round.entryIsUnready(ticket(2)))
        let same = round.entryIsUnready(ticket(3))
        #expect(same == nil)
        let asked = round.roundBegan(soon)
        #expect(asked?.unready == [ticket(2), ticket(3)])
        #expect(asked?.waiting == [])
        let ofLate = round.roundBegan(late)
        #expect(ofLate == nil)
    }

    @Test func noInTheMiddleOfARoundIsNotLost() throws {
        var round = ReadinessRound()
        let first = try made(round.entryWaits(ticket(1)))
        _ = round.roundBegan(first)
        let soon = try made(round.entryIsUnready(ticket(2)))
        let none = round.roundEnded(first, remaining: .init(waiting: [ticket(1)]))
        #expect(none == nil)
        let asked = round.roundBegan(soon)
        #expect(asked?.unready == [ticket(2)])
    }

    @Test func manyWhoWaitAreAskedInTurns() throws {
        var round = ReadinessRound()
        let most = ReadinessRound.mostAsked
        var next = round.entryWaits(ticket(0))
        for number in 1..<(most + 10) { _ = round.entryWaits(ticket(number)) }
        var begun = try made(next)
        var asked = try made(round.roundBegan(begun))
        #expect(asked.waiting.count == most)
        next = round.roundEnded(begun, remaining: asked)
        begun = try made(next)
        asked = try made(round.roundBegan(begun))
        #expect(asked.waiting.prefix(11).map(\.sequence) == Array(most..<(most + 10)) + [0])
    }

    @Test func ticketsOfThoseWhoWaitNoLongerAreRemoved() {
        var round = ReadinessRound()
        for number in 0..<10_000 {
            if round.isCrowded { round.removeVoid { $0.sequence >= number - 5 } }
            _ = round.entryWaits(ticket(number))
        }
        #expect(!round.isCrowded)
    }
}
