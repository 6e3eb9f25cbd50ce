import Testing

@testable import AMQP

@Suite struct AnswerMonitorTests {
    /// Returns the number of ticks after which the monitor expects no confirm, or 100.
    private func alive(_ tick: (inout AnswerMonitor, UInt64) -> Bool) -> Int {
        var monitor = AnswerMonitor()
        return (0..<100).first { !tick(&monitor, $0) }.map { Int($0) } ?? 100
    }

    @Test func aMessageThatIsNeverConfirmedEndsIt() {
        let ticks = alive { monitor, _ in monitor.ticked(oldest: 7, isBlocked: false) }
        #expect(ticks == AnswerMonitor.mostTicks + 1)
    }

    @Test func confirmsThatComeDoNot() {
        #expect(alive { $0.ticked(oldest: 1 + $1 / 30, isBlocked: false) } == 100)
    }

    @Test func nothingUnconfirmedDoesNot() {
        #expect(alive { monitor, _ in monitor.ticked(oldest: nil, isBlocked: false) } == 100)
    }

    @Test func aBlockedBrokerDoesNot() {
        #expect(alive { monitor, _ in monitor.ticked(oldest: 7, isBlocked: true) } == 100)
    }

    @Test func theOldestIsTheFirstThatIsUnanswered() {
        var confirms = PublishConfirms<Int>()
        #expect(confirms.oldestNumber == nil)
        for number in 1...3 { confirms.published(number) }
        _ = confirms.answered(1, multiple: false)
        _ = confirms.answered(3, multiple: false)
        #expect(confirms.oldestNumber == 2)
        _ = confirms.answered(2, multiple: false)
        #expect(confirms.oldestNumber == nil)
    }
}
