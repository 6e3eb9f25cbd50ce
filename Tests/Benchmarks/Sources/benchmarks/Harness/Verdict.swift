/// How a measured value stands to its bound.
enum Verdict: String {
    /// The aim is reached.
    case aimReached = "holds, aim reached"
    /// Within the bound, short of the aim.
    case withinBound = "holds"
    /// The bound is broken.
    case broken = "BROKEN"
    /// Nothing was promised.
    case comparison = "to compare"
    /// Nothing was measured.
    case notMeasured = "not measured"

    /// Judges what was measured of a bound.
    init(_ bound: Bound, in observations: Observations) {
        guard let measured = bound.measured(in: observations) else {
            self = .notMeasured
            return
        }
        guard let limits = bound.limits else {
            self = .comparison
            return
        }
        switch measured.value {
        case ...limits.aim: self = .aimReached
        case ...limits.atMost: self = .withinBound
        default: self = .broken
        }
    }
}
