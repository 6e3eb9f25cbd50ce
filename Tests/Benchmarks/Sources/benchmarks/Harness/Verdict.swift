/// How a measured value compares to its bound.
enum Verdict: String {
    /// The aim was reached.
    case aimReached = "holds, aim reached"
    /// The value is within the bound but not the aim.
    case withinBound = "holds"
    /// The value exceeds the bound.
    case broken = "BROKEN"
    /// There is no promised bound.
    case comparison = "to compare"
    /// Nothing was measured.
    case notMeasured = "not measured"

    /// Compares the observations with a bound.
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
