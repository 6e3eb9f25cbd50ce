import Testing

@testable import JobKit

@Suite struct ReadinessPollsTests {
    private func ticket(_ number: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: number, slot: number)
    }

    private func made<Value>(_ value: Value?) throws -> Value { try #require(value) }

    @Test func waitingEntriesArePolledTenTimesASecond() throws {
        var polls = ReadinessPolls()
        let first = try made(polls.entryWaits(ticket(1)) { _ in true })
        #expect(first.milliseconds == 100)
        let second = polls.entryWaits(ticket(2)) { _ in true }
        #expect(second == nil)
        let polled = try made(polls.pollBegan(first))
        #expect(polled == ReadinessPolls.Polled(waiting: [ticket(1), ticket(2)]))
        let next = polls.pollFinished(first, remaining: .init(waiting: [ticket(2)]))
        #expect(next?.milliseconds == 100)
    }

    @Test func pollsEndWithTheLastThatWaits() throws {
        var polls = ReadinessPolls()
        let only = try made(polls.entryWaits(ticket(1)) { _ in true })
        _ = polls.pollBegan(only)
        let next = polls.pollFinished(only, remaining: .init())
        #expect(next == nil)
        let later = polls.entryWaits(ticket(2)) { _ in true }
        #expect(later != nil)
    }

    @Test func newNoIsPolledSoonAndThenMoreSlowly() throws {
        var polls = ReadinessPolls()
        var next = polls.entryIsUnready(ticket(1))
        var pauses: [Int] = []
        while let begun = next, pauses.count < 10 {
            pauses.append(begun.milliseconds)
            let polled = polls.pollBegan(begun)
            #expect(polled?.unready == [ticket(1)])
            next = polls.pollFinished(begun, remaining: .init(unready: [ticket(1)]))
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100])
    }

    @Test func pollOfUnreadyEntriesReplacesALaterPoll() throws {
        var polls = ReadinessPolls()
        let late = try made(polls.entryWaits(ticket(1)) { _ in true })
        let soon = try made(polls.entryIsUnready(ticket(2)))
        let same = polls.entryIsUnready(ticket(3))
        #expect(same == nil)
        let polled = polls.pollBegan(soon)
        #expect(polled?.unready == [ticket(2), ticket(3)])
        #expect(polled?.waiting == [])
        let ofLate = polls.pollBegan(late)
        #expect(ofLate == nil)
    }

    @Test func noInTheMiddleOfAPollIsNotLost() throws {
        var polls = ReadinessPolls()
        let first = try made(polls.entryWaits(ticket(1)) { _ in true })
        _ = polls.pollBegan(first)
        let soon = try made(polls.entryIsUnready(ticket(2)))
        let none = polls.pollFinished(first, remaining: .init(waiting: [ticket(1)]))
        #expect(none == nil)
        let polled = polls.pollBegan(soon)
        #expect(polled?.unready == [ticket(2)])
    }

    @Test func manyThatWaitArePolledInTurns() throws {
        var polls = ReadinessPolls()
        let most = ReadinessPolls.mostPolled
        var next = polls.entryWaits(ticket(0)) { _ in true }
        for number in 1..<(most + 10) { _ = polls.entryWaits(ticket(number)) { _ in true } }
        var begun = try made(next)
        var polled = try made(polls.pollBegan(begun))
        #expect(polled.waiting.count == most)
        next = polls.pollFinished(begun, remaining: polled)
        begun = try made(next)
        polled = try made(polls.pollBegan(begun))
        #expect(polled.waiting.prefix(11).map(\.sequence) == Array(most..<(most + 10)) + [0])
    }

    @Test func ticketsOfThoseThatWaitNoLongerAreRemoved() throws {
        var polls = ReadinessPolls()
        var poll: ReadinessPolls.ScheduledPoll?
        for number in 0..<10_000 {
            let next = polls.entryWaits(ticket(number)) { $0.sequence >= number - 5 }
            poll = poll ?? next
        }
        let polled = try made(polls.pollBegan(made(poll)))
        #expect(polled.waiting.count <= 128)
        #expect(polled.waiting.last == ticket(9_999))
    }
}
