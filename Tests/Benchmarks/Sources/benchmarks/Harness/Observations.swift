/// All readings of a run by series, in the order of the rounds.
struct Observations: Sendable {
    private var values: [Series: [Double]] = [:]

    /// Adds one round's value.
    mutating func record(_ value: Double, in series: Series) {
        values[series, default: []].append(value)
    }

    /// Returns the recorded values of a series, in the order of the rounds.
    func values(of series: Series) -> [Double] { values[series, default: []] }

    /// Returns the median and spread of a series, or nil if it was not measured.
    func summary(of series: Series) -> Summary? {
        Summary(values(of: series))
    }

    /// Returns the ratios of two series, formed within each round.
    ///
    /// Two variants of one round ran under the same load. A ratio of medians would compare the
    /// rounds of one variant in a slow phase of the machine with those of another in a fast phase.
    func ratio(of subject: Series, to reference: Series) -> Summary? {
        Summary(ratios(of: subject, to: reference))
    }

    /// The ratios of one series against another, in the order of the rounds.
    func ratios(of subject: Series, to reference: Series) -> [Double] {
        zip(values(of: subject), values(of: reference)).map { $0 / $1 }
    }
}
