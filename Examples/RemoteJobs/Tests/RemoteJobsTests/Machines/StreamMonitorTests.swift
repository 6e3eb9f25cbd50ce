import Testing

@testable import RemoteJobs

@Suite struct StreamMonitorTests {
    /// The actions after a number of silent ticks, with the number of each tick.
    private func actions(
        isReady: Bool,
        isAwaited: Bool = true,
        isBlocked: Bool = false,
        heardAt: Int? = nil
    ) -> [Int: StreamMonitor.Action] {
        var monitor = StreamMonitor()
        var actions: [Int: StreamMonitor.Action] = [:]
        for number in 1...12 {
            if number == heardAt { monitor.heard() }
            let action = monitor.ticked(
                isReady: isReady,
                isAwaited: isAwaited,
                isBlocked: isBlocked
            )
            actions[number] = action
            if action == .giveUp { break }
        }
        return actions
    }

    @Test func aStreamThatWasNotReadYetIsAskedAtOnceAndGivenUp() {
        #expect(actions(isReady: false) == [1: .ask, 2: .ask, 3: .ask, 4: .ask, 5: .giveUp])
    }

    @Test func aStreamThatWasReadIsAskedAfterAWhileAndGivenUp() {
        #expect(actions(isReady: true) == [7: .ask, 8: .ask, 9: .ask, 10: .ask, 11: .giveUp])
    }

    @Test func aMessageThatComesIsAnAnswer() {
        #expect(actions(isReady: true, heardAt: 9) == [7: .ask, 8: .ask])
    }

    @Test func nobodyAsksWhereNothingIsAwaited() {
        #expect(actions(isReady: true, isAwaited: false) == [:])
    }

    @Test func aBlockedBrokerIsNotAsked() {
        #expect(actions(isReady: false, isBlocked: true) == [:])
    }
}
