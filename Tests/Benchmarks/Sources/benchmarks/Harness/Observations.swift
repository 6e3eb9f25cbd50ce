/// Every reading of a run, by series, in the order of the rounds.
struct Observations: Sendable {
    private var values: [Series: [Double]] = [:]

    /// Adds one round's value.
    mutating func record(_ value: Double, in series: Series) {
        values[series, default: []].append(value)
    }

    /// A series' median and spread, nil if it was not measured.
    func summary(of series: Series) -> Summary? {
        Summary(values[series, default: []])
    }

    /// One series against another: the ratio of their medians, and of each round's pair.
    ///
    /// The pairs show the spread: two variants of one round met the same load.
    func ratio(of subject: Series, to reference: Series) -> (medians: Double, pairs: Summary)? {
        let (subjects, references) = (values[subject, default: []], values[reference, default: []])
        guard
            let numerator = Summary(subjects),
            let denominator = Summary(references),
            let pairs = Summary(zip(subjects, references).map { $0 / $1 })
        else { return nil }
        return (numerator.median / denominator.median, pairs)
    }
}
