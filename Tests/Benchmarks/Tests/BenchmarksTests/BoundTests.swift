import Testing

@testable import benchmarks

@Suite struct BoundTests {
    /// Returns observations of rounds in which the reference took 100 ns.
    private func observations(_ values: [Double]) -> Observations {
        var observations = Observations()
        for value in values {
            observations.record(value, in: SampleBounds.subject)
            observations.record(100, in: SampleBounds.reference)
        }
        return observations
    }

    @Test(arguments: [(1, 0.2), (3, 0.6), (9, 0.7)])
    func worstRunCounts(runs: Int, expected: Double) {
        var bound = SampleBounds.limited
        bound.runs = runs
        let observations = observations([10, 10, 10, 60, 70, 60, 20, 20, 20])
        #expect(bound.measured(in: observations)?.value == expected)
    }

    @Test func fewerRoundsThanRunsAreOneRunEach() {
        var bound = SampleBounds.limited
        bound.runs = 3
        #expect(bound.measured(in: observations([40, 30]))?.value == 0.4)
        #expect(bound.measured(in: observations([])) == nil)
    }

    @Test(arguments: [
        ([30, 40, 45], false), ([30, 49, 60], true), ([40, 60, 70], true), ([60, 70, 80], false),
        ([90], false),
    ])
    func boundBetweenTheQuartilesIsUndecided(values: [Double], isUndecided: Bool) {
        let observations = observations(values)
        #expect(SampleBounds.limited.isUndecided(in: observations) == isUndecided)
        #expect(SampleBounds.unlimited.isUndecided(in: observations) == false)
    }
}
