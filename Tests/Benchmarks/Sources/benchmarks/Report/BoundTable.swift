/// Compares the measured ratios with their bounds and aims.
enum BoundTable {
    private static let header = [
        "work", "measured", "quartiles", "at most", "aim", "verdict",
    ]

    /// Returns a table with one row for each bound.
    static func table(of bounds: [Bound], in observations: Observations) -> Table {
        var table = Table(title: "Costs against their bounds", header: header)
        table.rows = bounds.map { bound in
            let measured = bound.measured(in: observations)
            let spread = measured.map { measured in
                bound.text(measured.spread.lowerQuartile) + " … "
                    + bound.text(measured.spread.upperQuartile)
            }
            return [
                bound.work,
                measured.map { bound.text($0.value) } ?? "–",
                spread ?? "–",
                bound.limits.map { bound.text($0.atMost) } ?? "–",
                bound.limits.map { bound.text($0.aim) } ?? "–",
                Verdict(bound, in: observations).rawValue,
            ]
        }
        return table
    }

    /// Returns one line about the bounds and one about the aims.
    ///
    /// Each counts those that hold and names the others.
    static func summary(of bounds: [Bound], in observations: Observations) -> String {
        let judged = bounds.filter { $0.limits != nil }
            .map { (work: $0.work, verdict: Verdict($0, in: observations)) }
        let broken = judged.filter { $0.verdict == .broken || $0.verdict == .notMeasured }
        let short = judged.filter { $0.verdict != .aimReached }
        return "bounds that hold: \(judged.count - broken.count) of \(judged.count)"
            + list(" – broken or not measured: ", broken.map(\.work))
            + "\naims reached: \(judged.count - short.count) of \(judged.count)"
            + list(" – not reached: ", short.map(\.work)) + "\n"
    }

    private static func list(_ introduction: String, _ names: [String]) -> String {
        names.isEmpty ? "" : introduction + names.joined(separator: "; ")
    }
}
