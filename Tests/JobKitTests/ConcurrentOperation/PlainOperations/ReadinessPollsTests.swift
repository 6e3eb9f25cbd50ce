import Testing

@testable import JobKit

@Suite struct ReadinessPollsTests {
    private func ticket(_ number: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: number, slot: number)
    }

    /// `#require` takes no call that changes a variable.
    private func required<Value>(_ value: Value?) throws -> Value { try #require(value) }

    @Test func waitingEntriesArePolledTenTimesASecond() throws {
        var polls = ReadinessPolls()
        let first = try required(polls.entryAdded(ticket(1), isSoon: false))
        #expect(first.pause == 100)
        #expect(polls.entryAdded(ticket(2), isSoon: false) == nil)
        #expect(polls.pollBegan(first.number) == [ticket(1), ticket(2)])
        let second = try required(polls.pollFinished(2, remaining: [ticket(2)]))
        #expect(second.pause == 100)
        #expect(polls.pollBegan(second.number) == [ticket(2)])
    }

    @Test func pollsEndWithTheLastEntry() throws {
        var polls = ReadinessPolls()
        let poll = try required(polls.entryAdded(ticket(1), isSoon: true))
        _ = polls.pollBegan(poll.number)
        #expect(polls.pollFinished(1, remaining: []) == nil)
        #expect(polls.entryAdded(ticket(2), isSoon: true)?.pause == 1)
    }

    @Test func unreadyEntryIsPolledSoonAndThenMoreSlowly() {
        var polls = ReadinessPolls()
        var next = polls.entryAdded(ticket(1), isSoon: true)
        var pauses: [Int] = []
        while let poll = next, pauses.count < 10 {
            pauses.append(poll.pause)
            #expect(polls.pollBegan(poll.number) == [ticket(1)])
            next = polls.pollFinished(1, remaining: [ticket(1)])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100])
    }

    @Test func soonPollReplacesALaterOne() throws {
        var polls = ReadinessPolls()
        let later = try required(polls.entryAdded(ticket(1), isSoon: false))
        let soon = try required(polls.entryAdded(ticket(2), isSoon: true))
        #expect(soon.pause == 1)
        #expect(polls.entryAdded(ticket(3), isSoon: true) == nil)
        #expect(polls.pollBegan(soon.number) == [ticket(1), ticket(2), ticket(3)])
        let next = try required(polls.pollFinished(3, remaining: [ticket(1), ticket(3)]))
        #expect(next.pause == 2)
        #expect(polls.pollBegan(later.number) == nil)
        #expect(polls.pollBegan(next.number) == [ticket(1), ticket(3)])
    }

    @Test func entryAddedDuringAPollIsNotLost() throws {
        var polls = ReadinessPolls()
        let first = try required(polls.entryAdded(ticket(1), isSoon: true))
        _ = polls.pollBegan(first.number)
        let second = try required(polls.entryAdded(ticket(2), isSoon: true))
        #expect(second.pause == 1)
        #expect(polls.pollFinished(1, remaining: [ticket(1)]) == nil)
        #expect(polls.pollBegan(second.number) == [ticket(2), ticket(1)])
    }

    @Test func entriesThatHaveLeftAreForgottenSoon() throws {
        var polls = ReadinessPolls()
        let added = (0..<30_000).map { polls.entryAdded(ticket($0), isSoon: false) }
        var poll = try #require(added.first ?? nil)
        for _ in 0..<2 {
            let count = try required(polls.pollBegan(poll.number)).count
            poll = try required(polls.pollFinished(count, remaining: [ticket(7)]))
            #expect(poll.pause == 1)
        }
    }

    @Test func manyEntriesArePolledInTurns() throws {
        var polls = ReadinessPolls()
        let most = ReadinessPolls.mostPolled
        let added = (0..<(most + 10)).map { polls.entryAdded(ticket($0), isSoon: false) }
        let first = try #require(added.first ?? nil)
        let polled = try required(polls.pollBegan(first.number))
        #expect(polled.count == most)
        let next = try required(polls.pollFinished(most, remaining: polled))
        let numbers = polls.pollBegan(next.number)?.prefix(11).map(\.sequence)
        #expect(numbers == Array(most..<(most + 10)) + [0])
    }
}
