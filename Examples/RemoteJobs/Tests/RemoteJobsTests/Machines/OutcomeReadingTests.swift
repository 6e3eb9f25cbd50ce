import Testing

@testable import RemoteJobs

@Suite struct OutcomeReadingTests {
    private func name(_ key: Name) -> TaskName { TaskName(work: "w", key: key) }

    @Test func aReadingGoesFromTheFirstThatIsWantedToTheLast() {
        var reading = OutcomeReading()
        #expect(reading.want(name("b"), at: 7) == true)
        #expect(reading.want(name("a"), at: 5) == true)
        #expect(reading.begin() == 5)
        #expect(reading.begin() == nil)
        #expect(reading.read(5) == .init(due: [name("a")]))
        #expect(reading.read(6) == .init())
        #expect(reading.read(7) == .init(due: [name("b")], isOver: true))
        #expect(reading.begin() == nil)
    }

    @Test func whatIsWantedBehindIsReadByTheSameAndWhatIsWantedBeforeByTheNext() {
        var reading = OutcomeReading()
        _ = reading.want(name("a"), at: 5)
        #expect(reading.begin() == 5)
        #expect(reading.want(name("b"), at: 6) == false)
        #expect(reading.want(name("c"), at: 2) == false)
        #expect(reading.read(5) == .init(due: [name("a")]))
        #expect(reading.read(6) == .init(due: [name("b")], isOver: true))
        #expect(reading.begin() == 2)
    }

    @Test func whatTheStreamHasForgottenIsGone() {
        var reading = OutcomeReading()
        for (key, offset) in [("a", 1), ("b", 2), ("c", 9)] as [(Name, Int)] {
            _ = reading.want(name(key), at: offset)
        }
        #expect(reading.begin() == 1)
        #expect(reading.read(8) == .init(gone: [name("a"), name("b")]))
        #expect(reading.read(9) == .init(due: [name("c")], isOver: true))
    }

    @Test func anInterruptedReadingIsBegunAnew() {
        var reading = OutcomeReading()
        _ = reading.want(name("a"), at: 1)
        _ = reading.begin()
        reading.interrupted()
        #expect(reading.read(1) == .init())
        #expect(reading.begin() == 1)
    }
}
