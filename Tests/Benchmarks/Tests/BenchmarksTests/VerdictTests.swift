import Testing

@testable import benchmarks

@Suite struct VerdictTests {
    @Test(arguments: [
        (20.0, Verdict.aimReached), (25, .aimReached), (26, .withinBound), (50, .withinBound),
        (51, .broken),
    ])
    func ratioIsJudgedByItsLimits(value: Double, verdict: Verdict) {
        let observations = SampleBounds.observations(subject: value)
        #expect(Verdict(SampleBounds.limited, in: observations) == verdict)
    }

    @Test func whatHasNoLimitsIsNeverBroken() {
        let observations = SampleBounds.observations(subject: 1_000_000)
        #expect(Verdict(SampleBounds.unlimited, in: observations) == .comparison)
    }

    @Test func whatWasNotMeasuredDoesNotHold() {
        #expect(Verdict(SampleBounds.limited, in: Observations()) == .notMeasured)
    }
}
