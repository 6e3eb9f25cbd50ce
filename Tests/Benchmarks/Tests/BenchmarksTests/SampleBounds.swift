@testable import benchmarks

/// Two series to compare, with bounds on their ratio.
enum SampleBounds {
    static let subject = Series(workload: "work", size: 10, variant: "ours", figure: .cost)
    static let reference = Series(workload: "work", size: 10, variant: "theirs", figure: .cost)

    /// At most 0.5 ×, with an aim of 0.25 ×.
    static let limited = bound("limited", Bound.Limits(atMost: 0.5, aim: 0.25))
    /// For comparison only.
    static let unlimited = bound("unlimited", nil)

    private static func bound(_ work: String, _ limits: Bound.Limits?) -> Bound {
        Bound(work: work, subject: subject, reference: reference, limits: limits)
    }

    /// Returns one round in which the reference took 100 ns.
    static func observations(subject value: Double) -> Observations {
        var observations = Observations()
        observations.record(value, in: subject)
        observations.record(100, in: reference)
        return observations
    }
}
