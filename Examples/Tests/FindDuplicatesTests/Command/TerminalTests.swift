import FindDuplicates
import Foundation
import XCTest

/// Tests the output of the command on a terminal.
final class TerminalTests: XCTestCase {
    private func groups(_ run: TerminalRun) -> [[BytePath]] {
        CommandRun(status: 0, output: run.output, messages: []).groups
    }

    func testProgressIsShownAndClearedAndALastLineStays() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        let run = try await TerminalRun.run(["--print0", folder.path])
        XCTAssertEqual(run.status, 0)
        XCTAssert(run.screen.hasPrefix("\r0 files found"), run.screen)
        let files = expected.reduce(0) { $0 + $1.paths.count }
        let last = "find-duplicates: \(expected.count) groups of \(files) equal files; "
        let end = try XCTUnwrap(run.screen.range(of: "\r\u{1B}[K\(last)"), run.screen)
        XCTAssert(
            run.screen[end.upperBound...].hasSuffix("could be freed by keeping one of each\r\n")
        )
        XCTAssertEqual(groups(run), expected.map(\.paths))
    }

    func testNothingFoundIsSaid() async throws {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "1")
        let run = try await TerminalRun.run([folder.path])
        XCTAssert(
            run.screen.hasSuffix("find-duplicates: no duplicates among 1 file\r\n"),
            run.screen
        )
    }

    func testNoProgressShowsNone() async throws {
        let folder = try TemporaryFolder()
        let run = try await TerminalRun.run(["--no-progress", folder.path])
        XCTAssertEqual(run.screen, "")
    }

    func testTerminalOfNoTypeGetsNoEscapes() async throws {
        let folder = try TemporaryFolder()
        for type in [nil, "dumb", ""] {
            let run = try await TerminalRun.run([folder.path], type: type)
            XCTAssertEqual(run.screen, "")
        }
    }

    func testNamesReachTheTerminalEscapedAndAPipeAsTheyAre() async throws {
        let folder = try TemporaryFolder()
        let names = ["\u{1B}[31mred", "\u{1B}]0;pwn\u{7}", "c1\u{9B}31m", "rtl\u{202E}gpj"]
        for name in names { folder.makeFile(name, "same") }
        let run = try await TerminalRun.run(["--no-progress", folder.path], showsOutput: true)
        let controls = run.screen.unicodeScalars.filter {
            $0.properties.generalCategory == .control || $0 == "\u{202E}"
        }
        XCTAssertEqual(Set(controls), ["\r", "\n"], run.screen)
        XCTAssert(run.screen.contains("/\\x1b[31mred\r\n"), run.screen)
        let piped = try await CommandRun.run(folder.path)
        for name in names {
            XCTAssert(String(decoding: piped.output, as: UTF8.self).contains(name))
        }
    }

    /// With two files of a terabyte, hours remain, and the line shows this.
    func testLargeFilesAreNotDoneBeforeTheyAreRead() async throws {
        let folder = try TemporaryFolder()
        folder.makeSparseFile("large 1", size: 1 << 40)
        folder.makeSparseFile("large 2", size: 1 << 40)
        let run = try await TerminalRun.run([folder.path]) { $0.contains(" min") }
        let line = try XCTUnwrap(run.screen.split(separator: "\r").last { $0.contains(" left") })
        XCTAssert(line.hasPrefix("2 files, "), run.screen)
        XCTAssert(line.contains("% of 2.1 TB compared, at most "), run.screen)
        let percent = try XCTUnwrap(line.firstMatch(of: #/(\d+)\.\d%/#), run.screen)
        XCTAssertLessThan(try XCTUnwrap(Int(percent.1)), 10)
    }

    func testInterruptWritesWhatWasFoundAndDiesOfTheSignal() async throws {
        let folder = try TemporaryFolder()
        // The files are compared one after another, largest first. Once more than a 501st of the
        // work is done, these two have been compared. The rest takes far longer.
        let share = 1 / 501.0
        for name in ["a", "b"] { folder.makeSparseFile(name, size: 1 << 28) }
        for number in 1...500 {
            for name in ["c", "d"] {
                folder.makeSparseFile("\(name) \(number)", size: 1 << 28 - Int64(number))
            }
        }
        let run = try await TerminalRun.run(["--json", "--width", "1", folder.path]) { screen in
            screen.matches(of: #/([\d.]+)% of/#).contains { (Double($0.1) ?? 0) / 100 > share }
        }
        XCTAssertEqual(run.reason, .uncaughtSignal)
        XCTAssertEqual(run.status, SIGINT)
        let message = "find-duplicates: interrupted; what was found so far is incomplete"
        XCTAssert(run.screen.contains("\r\u{1B}[K\(message)\r\n"), run.screen)
        let object = try CommandRun(status: 0, output: run.output, messages: []).json()
        XCTAssertEqual(object["incomplete"] as? Bool, true)
        let groups = try XCTUnwrap(object["groups"] as? [[String: Any]])
        XCTAssertEqual(
            groups.first?["paths"] as? [String],
            ["\(folder.path)/a", "\(folder.path)/b"]
        )
        XCTAssertLessThan(groups.count, 501)
    }
}
