/// A comparison of costs, mostly with a promise and an aim beyond it.
struct Bound: Sendable {
    /// The work, in the words of the contract.
    let work: String
    /// The series that must be cheap.
    let subject: Series
    /// The series it is compared with; nil if the figure itself is bounded.
    let reference: Series?
    /// What is promised of the ratio or of the figure; nil if it is shown for comparison only.
    let limits: Limits?

    /// What a ratio or a figure must not and should not exceed.
    struct Limits: Sendable {
        /// What must not be exceeded, under any load.
        let atMost: Double
        /// What should not be exceeded on idle cores.
        let aim: Double
    }

    /// What was measured of the bound, nil if its series were not.
    func measured(in observations: Observations) -> (value: Double, spread: Summary)? {
        guard let reference else {
            return observations.summary(of: subject).map { ($0.median, $0) }
        }
        return observations.ratio(of: subject, to: reference).map { ($0.median, $0) }
    }

    /// A ratio or a figure, as people read it.
    func text(_ value: Double) -> String {
        guard reference == nil else { return NumberText.fixed(value, places: 2) + " ×" }
        return subject.figure.text(value)
    }
}
