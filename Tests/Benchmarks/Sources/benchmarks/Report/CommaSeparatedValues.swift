/// Exports the summaries as CSV, with a line for each series.
enum CommaSeparatedValues {
    private static let header =
        "workload,size,variant,figure,unit,rounds,median,lower_quartile,upper_quartile,min,max"

    /// Returns the whole export, including the header.
    static func text(of workloads: [Workload], in observations: Observations) -> String {
        let lines = workloads.flatMap { workload in
            workload.variants.flatMap { variant in
                variant.figures.compactMap { figure in
                    line(workload.series(variant.name, figure), in: observations)
                }
            }
        }
        return ([header] + lines).joined(separator: "\n") + "\n"
    }

    private static func line(_ series: Series, in observations: Observations) -> String? {
        guard let summary = observations.summary(of: series) else { return nil }
        let values = [
            summary.median, summary.lowerQuartile, summary.upperQuartile,
            summary.minimum, summary.maximum,
        ]
        let names = [quoted(series.variant), quoted(series.figure.rawValue)]
        let columns =
            [quoted(series.workload), String(series.size)] + names
            + [series.figure.recordedUnit, String(summary.count)]
            + values.map { NumberText.fixed($0, places: 3) }
        return columns.joined(separator: ",")
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
