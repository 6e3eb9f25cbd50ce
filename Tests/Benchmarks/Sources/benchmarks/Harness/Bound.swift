/// A promise about cost, and the aim beyond it.
struct Bound: Sendable {
    /// The work, in the words of the contract.
    let work: String
    /// The series that must be cheap.
    let subject: Series
    /// The series it is compared with; nil if the figure itself is bounded.
    let reference: Series?
    /// The ratio, or the figure, that must not be exceeded.
    let atMost: Double
    /// The ratio, or the figure, that should not be exceeded on idle cores.
    let aim: Double

    /// What was measured of the bound, nil if its series were not.
    func measured(in observations: Observations) -> (value: Double, spread: Summary)? {
        guard let reference else {
            return observations.summary(of: subject).map { ($0.median, $0) }
        }
        return observations.ratio(of: subject, to: reference).map { ($0.medians, $0.pairs) }
    }

    /// A ratio or a figure, as people read it.
    func text(_ value: Double) -> String {
        guard reference == nil else { return NumberText.fixed(value, places: 2) + " ×" }
        return subject.figure.text(value)
    }
}
