import Foundation
import XCTest

@testable import JobJournal

#if os(macOS) || os(Linux)
/// S1, S2, S7, S9: a process is killed before, in and after each of its writes, and once more in
/// the session that continues.
final class KilledJobTests: XCTestCase {
    /// Runs one session of the job, and returns how it ended.
    private func live(_ folder: URL, _ safety: String, _ end: [String]) throws -> Int32 {
        try runCrashJob(
            [folder.appendingPathComponent("journal").path, safety]
                + [folder.appendingPathComponent("log").path] + end
        )
    }

    /// Returns the lines of the log, grouped by session.
    private func sessions(_ folder: URL) throws -> [[String]] {
        let text = try String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)
        return text.components(separatedBy: "session\n").dropFirst()
            .map {
                $0.split(separator: "\n").map(String.init)
            }
    }

    private func check(_ folder: URL, _ result: String, _ what: String) throws {
        var recorded: Set<String> = []
        for session in try sessions(folder) {
            let runs = session.filter { $0.hasPrefix("runs ") }.map { $0.dropFirst(5) }
            XCTAssertEqual(Set(runs).count, runs.count, "\(what): a body ran twice in one session")
            for run in runs where recorded.contains(String(run)) {
                XCTFail("\(what): \(run) was recorded, and ran")
            }
            recorded.formUnion(
                session.filter { $0.hasPrefix("recorded ") }.map { String($0.dropFirst(9)) }
            )
        }
        XCTAssertEqual(try sessions(folder).last?.last, result, what)
    }

    /// Tries one write of four unless `JOURNAL_STRIDE` is set.
    ///
    /// CI's release part tries each write.
    private func killAtEveryWrite(_ safety: String) throws {
        let step = journalStride(4)
        let folder = TemporaryFolder(self).url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        XCTAssertEqual(try live(folder, safety, []), 0)
        let result = try XCTUnwrap(sessions(folder).last?.last)
        XCTAssertTrue(result.hasPrefix("result "), result)
        var (kills, number) = (0, 1)
        var isBeyondTheEnd = false
        while !isBeyondTheEnd {
            // The number of writes in a session depends on how many records are written together.
            isBeyondTheEnd = true
            for place in ["before", "in", "after"] {
                let what = "killed \(place) write \(number)"
                let one = folder.appendingPathComponent("\(number) \(place)")
                try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true)
                var next = number
                for _ in 1...4 {
                    guard try live(one, safety, [place, "\(next)"]) == SIGKILL else { break }
                    kills += 1
                    isBeyondTheEnd = false
                    next = next * 7 % 23 + 1
                }
                if try sessions(one).last?.last?.hasPrefix("result ") != true {
                    XCTAssertEqual(try live(one, safety, []), 0)
                }
                try check(one, result, what)
                try FileManager.default.removeItem(at: one)
            }
            number += step
        }
        print("\(name): \(kills) kills, up to write \(number)")
        XCTAssertGreaterThan(kills, 20)
    }

    func testKilledAtEveryWrite() throws {
        try killAtEveryWrite("processCrash")
    }

    func testKilledAtWritesThatAreSynced() throws {
        try killAtEveryWrite("powerLoss")
    }

    func testAFileThatMayNotGrowFailsTheJobAndTheNextSessionGoesOn() throws {
        for limit in [0, 1, 39, 200, 1000, 2500] {
            let folder = TemporaryFolder(self).url
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // The log is limited too, so its missing lines are not checked here.
            _ = try live(folder, "processCrash", ["limit", "\(limit)"])
            XCTAssertEqual(try live(folder, "processCrash", []), 0)
            let last = try XCTUnwrap(sessions(folder).last?.last)
            XCTAssertTrue(last.hasPrefix("result "), last)
        }
    }

    func testTwoProcessesDoNotShareAJob() throws {
        let folder = TemporaryFolder(self).url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let journal = try JobJournal(
            at: folder.appendingPathComponent("journal"),
            job: "crashes"
        )
        XCTAssertEqual(try live(folder, "processCrash", []), 2)
        let last = try XCTUnwrap(sessions(folder).last?.last)
        XCTAssertTrue(last.contains("is open elsewhere"), last)
        withExtendedLifetime(journal) {}
    }
}
#endif
