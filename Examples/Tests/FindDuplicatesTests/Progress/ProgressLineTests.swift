import Testing

@testable import FindDuplicates

@Suite struct ProgressLineTests {
    @Test(arguments: [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3660, "1 h 1 min")])
    func timeIsToldInTwoUnitsAtMost(seconds: Int64, text: String) {
        #expect(ProgressLine.text(seconds: seconds) == text)
    }

    private func line(_ stage: SearchStage, _ fraction: Double, _ seconds: Double) -> String {
        ProgressLine(stage: stage, fraction: fraction, elapsed: .seconds(seconds)).text(columns: 80)
    }

    @Test func listingTellsFilesAndNoShare() {
        #expect(line(.listing(files: 12), 0, 100) == "12 files found")
    }

    @Test func comparisonTellsShareOfBytesAndTimeLeft() {
        let stage = SearchStage.comparing(files: 12, bytes: 2_000_000_000_000)
        #expect(line(stage, 0.5, 5) == "12 files, 50% of 2.0 TB compared, at most 5 s left")
        #expect(line(stage, 0.0024, 6).contains("0.2% of 2.0 TB compared, at most 41 min"))
        #expect(line(stage, 0.9999, 6).contains(" 99% "))
    }

    @Test func timeLeftIsNotToldWhileNobodyKnows() {
        let stage = SearchStage.comparing(files: 12, bytes: 100)
        #expect(line(stage, 0, 100) == "12 files, 0.0% of 100 B compared")
        #expect(line(stage, 0.5, 0.9) == "12 files, 50% of 100 B compared")
    }

    @Test func lineNeverReachesTheLastColumn() {
        let line = ProgressLine(stage: .listing(files: 12), fraction: 0, elapsed: .zero)
        #expect(line.text(columns: 10) == "12 files ")
        #expect(line.text(columns: 0) == "")
    }
}
