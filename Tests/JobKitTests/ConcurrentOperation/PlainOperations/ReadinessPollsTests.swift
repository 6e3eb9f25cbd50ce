import Testing

@testable import JobKit

@Suite struct ReadinessPollsTests {
    private func ticket(_ number: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: number, slot: number)
    }

    @Test func waitingEntriesArePolledTenTimesASecond() {
        var polls = ReadinessPolls()
        #expect(polls.entryAdded(ticket(1), isSoon: false) == 100)
        #expect(polls.entryAdded(ticket(2), isSoon: false) == nil)
        #expect(polls.pollBegan() == [ticket(1), ticket(2)])
        #expect(polls.pollFinished(2, remaining: [ticket(2)]) == 100)
        #expect(polls.pollBegan() == [ticket(2)])
    }

    @Test func pollsEndWithTheLastEntry() {
        var polls = ReadinessPolls()
        _ = polls.entryAdded(ticket(1), isSoon: true)
        _ = polls.pollBegan()
        #expect(polls.pollFinished(1, remaining: []) == nil)
        #expect(polls.entryAdded(ticket(2), isSoon: true) == 1)
    }

    @Test func unreadyEntryIsPolledSoonAndThenMoreSlowly() {
        var polls = ReadinessPolls()
        var next = polls.entryAdded(ticket(1), isSoon: true)
        var pauses: [Int] = []
        while let pause = next, pauses.count < 10 {
            pauses.append(pause)
            #expect(polls.pollBegan() == [ticket(1)])
            next = polls.pollFinished(1, remaining: [ticket(1)])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100])
    }

    @Test func unreadyEntryDoesNotWaitForALaterPoll() {
        var polls = ReadinessPolls()
        _ = polls.entryAdded(ticket(1), isSoon: false)
        #expect(polls.entryAdded(ticket(2), isSoon: true) == 1)
        #expect(polls.entryAdded(ticket(3), isSoon: true) == nil)
        #expect(polls.pollBegan() == [ticket(1), ticket(2), ticket(3)])
        // The later poll is still scheduled, and continues.
        #expect(polls.pollFinished(1, remaining: [ticket(1)]) == nil)
        #expect(polls.pollBegan() == [ticket(1)])
        #expect(polls.pollFinished(1, remaining: [ticket(1)]) != nil)
    }

    @Test func entryAddedDuringAPollIsNotLost() {
        var polls = ReadinessPolls()
        _ = polls.entryAdded(ticket(1), isSoon: true)
        _ = polls.pollBegan()
        #expect(polls.entryAdded(ticket(2), isSoon: true) == 1)
        #expect(polls.pollFinished(1, remaining: [ticket(1)]) == nil)
        #expect(polls.pollBegan() == [ticket(2), ticket(1)])
    }

    @Test func entriesThatHaveLeftAreForgottenSoon() {
        var polls = ReadinessPolls()
        for number in 0..<30_000 { _ = polls.entryAdded(ticket(number), isSoon: false) }
        for _ in 0..<2 {
            let count = polls.pollBegan().count
            #expect(polls.pollFinished(count, remaining: [ticket(7)]) == 1)
        }
    }

    @Test func manyEntriesArePolledInTurns() {
        var polls = ReadinessPolls()
        let most = ReadinessPolls.mostPolled
        for number in 0..<(most + 10) { _ = polls.entryAdded(ticket(number), isSoon: false) }
        let polled = polls.pollBegan()
        #expect(polled.count == most)
        _ = polls.pollFinished(most, remaining: polled)
        #expect(polls.pollBegan().prefix(11).map(\.sequence) == Array(most..<(most + 10)) + [0])
    }
}
