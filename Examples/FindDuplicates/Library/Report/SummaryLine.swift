/// The last line of a search, with the space that could be freed.
package enum SummaryLine {
    /// Summarizes a report.
    ///
    /// - Parameter report: The report.
    /// - Returns: A line without a line break.
    package static func text(of report: DuplicateReport) -> String {
        let files = report.groups.reduce(0) { $0 + $1.paths.count }
        guard files > 0 else { return "no duplicates among \(count(report.scannedFiles, "file"))" }
        return count(report.groups.count, "group") + " of \(count(files, "equal file")); "
            + "\(ByteSize.text(report.freeableBytes)) could be freed by keeping one of each"
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
