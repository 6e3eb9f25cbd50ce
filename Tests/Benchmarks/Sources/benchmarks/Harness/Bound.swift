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
    /// Into how many runs the rounds are divided, of which the worst counts.
    var runs = 1

    /// What a ratio or a figure must not and should not exceed.
    struct Limits: Sendable {
        /// What must not be exceeded, under any load.
        let atMost: Double
        /// What should not be exceeded on idle cores.
        let aim: Double
    }

    /// What was measured of the bound, nil if its series were not.
    func measured(in observations: Observations) -> (value: Double, spread: Summary)? {
        let values =
            reference.map { observations.ratios(of: subject, to: $0) }
            ?? observations.values(of: subject)
        guard let spread = Summary(values) else { return nil }
        let length = max(1, values.count / runs)
        let medians = stride(from: 0, to: length * min(runs, values.count), by: length)
            .compactMap { Summary(Array(values[$0..<$0 + length]))?.median }
        return (medians.max() ?? spread.median, spread)
    }

    /// Whether as many rounds as not are too near the limit to judge by: it lies between their
    /// quartiles.
    func isUndecided(in observations: Observations) -> Bool {
        guard let limits, let spread = measured(in: observations)?.spread else { return false }
        return spread.lowerQuartile <= limits.atMost && limits.atMost < spread.upperQuartile
    }

    /// A ratio or a figure, as people read it.
    func text(_ value: Double) -> String {
        guard reference == nil else { return NumberText.fixed(value, places: 2) + " ×" }
        return subject.figure.text(value)
    }
}
