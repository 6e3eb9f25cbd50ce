/// Shows how the measured ratios stand to their bounds and aims.
enum BoundTable {
    private static let header = [
        "work", "measured", "rounds (min … max)", "at most", "aim", "verdict",
    ]

    /// One row for each bound.
    static func table(of bounds: [Bound], in observations: Observations) -> Table {
        var table = Table(title: "Costs against their bounds", header: header)
        table.rows = bounds.map { bound in
            let measured = bound.measured(in: observations)
            let spread = measured.map { measured in
                "\(bound.text(measured.spread.minimum)) … \(bound.text(measured.spread.maximum))"
            }
            return [
                bound.work,
                measured.map { bound.text($0.value) } ?? "–",
                spread ?? "–",
                bound.text(bound.atMost),
                bound.text(bound.aim),
                Verdict(bound, in: observations).rawValue,
            ]
        }
        return table
    }
}
