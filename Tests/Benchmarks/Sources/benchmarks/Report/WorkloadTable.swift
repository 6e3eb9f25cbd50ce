/// Shows the measurements of one workload.
enum WorkloadTable {
    private static let header = [
        "variant", "figure", "rounds", "median", "quartiles", "min … max", "ratio to baseline",
    ]

    /// Returns a row for each measured variant and figure.
    ///
    /// The rounds took `duration` together.
    static func table(
        of workload: Workload,
        in observations: Observations,
        measuredFor duration: Duration
    ) -> Table {
        let seconds = NumberText.fixed(duration.nanoseconds / 1e9, places: 1)
        let title =
            "\(workload.name), n = \(NumberText.grouped(workload.size)), "
            + "baseline \(workload.baseline), \(seconds) s"
        var table = Table(title: title, header: header)
        for variant in workload.variants {
            for figure in variant.figures {
                let series = workload.series(variant.name, figure)
                guard let summary = observations.summary(of: series) else { continue }
                table.rows.append([
                    variant.name,
                    figure.rawValue,
                    String(summary.count),
                    figure.text(summary.median),
                    "\(figure.text(summary.lowerQuartile)) … \(figure.text(summary.upperQuartile))",
                    "\(figure.text(summary.minimum)) … \(figure.text(summary.maximum))",
                    ratio(of: series, in: workload, observations),
                ])
            }
        }
        return table
    }

    private static func ratio(
        of series: Series,
        in workload: Workload,
        _ observations: Observations
    ) -> String {
        guard series.figure.isComparable else { return "" }
        let baseline = workload.series(workload.baseline, series.figure)
        guard series != baseline else { return "1" }
        guard let ratio = observations.ratio(of: series, to: baseline) else { return "" }
        return NumberText.fixed(ratio.median, places: 2) + " ×"
    }
}
