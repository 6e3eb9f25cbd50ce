import Testing

@testable import FindDuplicates

@Suite struct SummaryLineTests {
    private func group(_ size: Int64, _ names: String...) -> DuplicateGroup {
        DuplicateGroup(size: size, paths: names.map { BytePath($0) })
    }

    @Test func spaceIsThatOfAllButOneOfEachGroup() {
        let report = DuplicateReport(
            groups: [group(1000, "a", "b", "c"), group(500, "d", "e")],
            scannedFiles: 9
        )
        #expect(report.freeableBytes == 2500)
        #expect(
            SummaryLine.text(of: report)
                == "2 groups of 5 equal files; 2.5 kB could be freed by keeping one of each"
        )
    }

    @Test func nothingFoundIsSaid() {
        #expect(
            SummaryLine.text(of: DuplicateReport(scannedFiles: 1)) == "no duplicates among 1 file"
        )
    }

    @Test func hugeSparseFilesAreANumber() {
        let report = DuplicateReport(groups: [group(.max, "a", "b", "c"), group(3, "d", "e")])
        #expect(report.freeableBytes == .max)
    }
}
