/// A comparison of costs, usually with a promised limit and a lower aim.
struct Bound: Sendable {
    /// The work, as the contract describes it.
    let work: String
    /// The series that must be cheap.
    let subject: Series
    /// The series of comparison, or nil if the figure itself has a bound.
    let reference: Series?
    /// The promised limits of the ratio or figure, or nil if it is shown only for comparison.
    let limits: Limits?
    /// The number of runs into which the rounds are divided.
    ///
    /// The worst run counts.
    var runs = 1

    /// The limits of a ratio or a figure.
    struct Limits: Sendable {
        /// Must not be exceeded under any load.
        let atMost: Double
        /// Should not be exceeded on idle cores.
        let aim: Double
    }

    /// Returns the measured value, or nil if the series were not measured.
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

    /// Whether the limit is between the quartiles, so that the rounds don't decide.
    func isUndecided(in observations: Observations) -> Bool {
        guard let limits, let spread = measured(in: observations)?.spread else { return false }
        return spread.lowerQuartile <= limits.atMost && limits.atMost < spread.upperQuartile
    }

    /// Formats a ratio or a figure for people.
    func text(_ value: Double) -> String {
        guard reference == nil else { return NumberText.fixed(value, places: 2) + " ×" }
        return subject.figure.text(value)
    }
}
