import Testing

@testable import FindDuplicates

@Suite struct ProgressLineTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1949, "1.9 kB"), (999_999, "999.9 kB"),
        (12_300_000, "12.3 MB"), (4_000_000_000, "4.0 GB"), (1_250_000_000_000_000, "1250.0 TB"),
    ])
    func bytesAreCountedInDecimalUnits(count: Int64, text: String) {
        #expect(ProgressLine.text(byteCount: count) == text)
    }

    @Test(arguments: [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3660, "1 h 1 min")])
    func timeIsToldInTwoUnitsAtMost(seconds: Int64, text: String) {
        #expect(ProgressLine.text(seconds: seconds) == text)
    }

    private var halfDone: SearchProgress {
        var progress = SearchProgress()
        progress.filesScanned(12)
        progress.workFound(100)
        progress.workDone(50, hashedBytes: 3400)
        return progress
    }

    @Test func lineTellsFilesBytesShareAndTimeLeft() {
        let line = ProgressLine(progress: halfDone, elapsed: .seconds(5))
        #expect(line.text(columns: 80) == "12 files, 3.4 kB hashed, 50% done, 5 s left")
    }

    @Test func lineNeverReachesTheLastColumn() {
        let line = ProgressLine(progress: halfDone, elapsed: .seconds(5))
        #expect(line.text(columns: 10) == "12 files,")
        #expect(line.text(columns: 0) == "")
    }

    @Test func timeLeftIsNotToldWhileFoldersAreListed() {
        var progress = halfDone
        progress.listingStarted()
        #expect(ProgressLine(progress: progress, elapsed: .seconds(5)).timeLeft == nil)
    }
}
