import Testing

@testable import RemoteJobs

@Suite struct WorkerLedgerTests {
    private typealias Ledger = WorkerLedger<String>

    private func id(_ number: Int) -> PublicationID { PublicationID(life: "c", number: number) }

    private func tag(_ number: UInt64) -> Ledger.Tag {
        Ledger.Tag(source: 1, number: number)
    }

    private func deliver(
        _ number: Int,
        to ledger: inout Ledger,
        tag: UInt64? = nil,
        attempt: Int = 1
    ) -> [Ledger.Action] {
        let tag = self.tag(tag ?? UInt64(number))
        return ledger.delivered(id(number), "w\(number)", attempt: attempt, limit: 3, tag: tag)
    }

    @Test func atMostTheWidthRuns() {
        var ledger = Ledger(width: 1)
        #expect(deliver(1, to: &ledger) == [.run(id(1), "w1", attempt: 1)])
        #expect(deliver(2, to: &ledger) == [])
        let actions = ledger.runEnded(id(1))
        #expect(actions == [.publish(id(1)), .run(id(2), "w2", attempt: 1)])
    }

    @Test func aTaskIsAcknowledgedOnceItsOutcomeIsConfirmed() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        _ = ledger.runEnded(id(1))
        #expect(ledger.isIdle == false)
        #expect(ledger.outcomeConfirmed(id(1)) == [.acknowledge(tag(1))])
        #expect(ledger.isIdle)
        #expect(ledger.outcomeConfirmed(id(1)) == [])
    }

    @Test func aTaskThatRunsAndComesAgainIsAdopted() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        ledger.connectionLost()
        #expect(deliver(1, to: &ledger, tag: 9, attempt: 2) == [])
        #expect(ledger.runEnded(id(1)) == [.publish(id(1))])
        #expect(ledger.outcomeConfirmed(id(1)) == [.acknowledge(tag(9))])
    }

    @Test func aTaskThatRanAndComesAgainIsAcknowledged() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        _ = ledger.runEnded(id(1))
        ledger.connectionLost()
        #expect(ledger.connected() == [.publish(id(1))])
        #expect(ledger.outcomeConfirmed(id(1)) == [])
        #expect(deliver(1, to: &ledger, tag: 5, attempt: 2) == [.acknowledge(tag(5))])
    }

    @Test func whatWaitsIsDroppedWithTheConnection() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        _ = deliver(2, to: &ledger)
        ledger.connectionLost()
        #expect(ledger.runEnded(id(1)) == [.publish(id(1))])
        #expect(deliver(2, to: &ledger, tag: 7) == [.run(id(2), "w2", attempt: 1)])
    }

    @Test func moreDeliveriesThanTheLimitAreGivenUp() {
        var ledger = Ledger(width: 1)
        #expect(deliver(1, to: &ledger, attempt: 4) == [.run(id(1), "w1", attempt: 4)])
        #expect(deliver(2, to: &ledger, attempt: 5) == [.giveUp(tag(2), "w2")])
    }

    @Test func aCancelReachesWhatRunsAndWhatWaitsAndWhatComesLater() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        _ = deliver(2, to: &ledger)
        let actions = ledger.cancelsRead([id(1), id(2), id(3)])
        #expect(actions == [.cancel(id(1)), .acknowledge(tag(2))])
        #expect(deliver(3, to: &ledger) == [.acknowledge(tag(3))])
    }

    @Test func nothingOfARemovedJobIsBegunAndWhatRunsIsCancelled() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        _ = deliver(2, to: &ledger)
        let other = PublicationID(life: "d", number: 1)
        _ = ledger.delivered(other, "other", attempt: 1, limit: 3, tag: tag(9))
        let actions = ledger.livesRemoved(["c"])
        #expect(actions.count == 2)
        #expect(actions.contains(.cancel(id(1))))
        #expect(actions.contains(.acknowledge(tag(2))))
        #expect(deliver(3, to: &ledger) == [.acknowledge(tag(3))])
        let next = ledger.runEnded(id(1))
        #expect(next == [.publish(id(1)), .run(other, "other", attempt: 1)])
    }

    @Test func aDrainingWorkerHandsBackWhatWaitsAndTakesNoMore() {
        var ledger = Ledger(width: 1)
        _ = deliver(1, to: &ledger)
        _ = deliver(2, to: &ledger)
        #expect(ledger.drainRequested() == [.handBack(tag(2), "w2")])
        #expect(deliver(3, to: &ledger) == [.handBack(tag(3), "w3")])
        _ = ledger.runEnded(id(1))
        #expect(ledger.outcomeConfirmed(id(1)) == [.acknowledge(tag(1))])
        #expect(ledger.isIdle)
    }
}
