import Testing

@testable import benchmarks

@Suite struct ObservationsTests {
    @Test func ratioIsTakenInEachRound() throws {
        var observations = Observations()
        for value in [10.0, 20, 60] { observations.record(value, in: SampleBounds.subject) }
        for value in [100.0, 50, 80] { observations.record(value, in: SampleBounds.reference) }
        let ratio = try #require(
            observations.ratio(of: SampleBounds.subject, to: SampleBounds.reference)
        )
        #expect(ratio.minimum == 0.1)
        #expect(ratio.median == 0.4)
        #expect(ratio.maximum == 0.75)
    }

    @Test func ratioToWhatWasNotMeasuredIsNil() {
        var observations = Observations()
        observations.record(10, in: SampleBounds.subject)
        #expect(observations.ratio(of: SampleBounds.subject, to: SampleBounds.reference) == nil)
    }
}
