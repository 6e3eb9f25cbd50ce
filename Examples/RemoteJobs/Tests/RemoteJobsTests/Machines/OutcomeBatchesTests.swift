import Testing

@testable import RemoteJobs

@Suite struct OutcomeBatchesTests {
    private func id(_ number: Int) -> PublicationID { PublicationID(life: "c", number: number) }

    @Test func anOutcomeGoesAtOnceWhenNothingIsUnderWayAndTakesThoseOfItsTurnAlong() {
        var batches = OutcomeBatches()
        #expect(batches.added(id(1), bytes: 2) == .sendSoon)
        #expect(batches.added(id(2), bytes: 2) == .wait)
        #expect(batches.take() == [id(1), id(2)])
        #expect(batches.take() == [])
    }

    @Test func whatComesWhileOneIsUnderWayGathersUntilItsAnswer() {
        var batches = OutcomeBatches()
        _ = batches.added(id(1), bytes: 2)
        _ = batches.take()
        batches.sent()
        #expect(batches.added(id(2), bytes: 2) == .sendLater(batch: 1))
        #expect(batches.added(id(3), bytes: 2) == .wait)
        #expect(batches.answered() == true)
        #expect(batches.isWaiting(1) == true)
        #expect(batches.take() == [id(2), id(3)])
        #expect(batches.isWaiting(1) == false)
        batches.sent()
        #expect(batches.answered() == false)
        #expect(batches.added(id(4), bytes: 2) == .sendSoon)
    }

    @Test func theAnswerToOneOfTwoSendsNothing() {
        var batches = OutcomeBatches()
        _ = batches.added(id(1), bytes: 2)
        _ = batches.take()
        batches.sent()
        batches.sent()
        _ = batches.added(id(2), bytes: 2)
        #expect(batches.answered() == false)
        #expect(batches.answered() == true)
    }

    @Test func manyOrLongOnesDoNotWait() {
        var batches = OutcomeBatches()
        batches.sent()
        for number in 1..<OutcomeBatches.most {
            #expect(batches.added(id(number), bytes: 2) != .send)
        }
        #expect(batches.added(id(OutcomeBatches.most), bytes: 2) == .send)
        #expect(batches.take().count == OutcomeBatches.most)
        #expect(batches.added(id(100), bytes: OutcomeBatches.mostBytes) == .send)
    }
}
