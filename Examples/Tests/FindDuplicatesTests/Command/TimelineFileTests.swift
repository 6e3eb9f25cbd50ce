import FindDuplicates
import Foundation
import XCTest

/// Tests the option `--timeline` from the user's view.
final class TimelineFileTests: XCTestCase {
    private func folderOfEqualFiles() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "same")
        folder.makeFile("b", "same")
        return folder
    }

    func testEndingOfTheNameIsTheForm() async throws {
        let folder = try folderOfEqualFiles()
        let location = try TemporaryFolder()
        let beginnings = [
            "trace.json": "{\"displayTimeUnit\"", "picture.SVG": "<svg ", "chart.mmd": "gantt\n",
            "lines.txt": "  ",
        ]
        for (name, beginning) in beginnings {
            let file = "\(location.path)/\(name)"
            let run = try await CommandRun.run("--print0", "--timeline", file, folder.path)
            XCTAssertEqual(run.groups, [[folder.entry("a"), folder.entry("b")]])
            XCTAssertEqual(run.messageText, "")
            XCTAssertEqual(run.status, 0)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            XCTAssert(text.hasPrefix(beginning), text)
            XCTAssert(text.contains("compare 2 files from \(folder.path)/a"), text)
        }
    }

    func testTraceHasASliceForTheJobAndEachTask() async throws {
        let folder = try folderOfEqualFiles()
        folder.makeFolder("c")
        let file = "\(folder.path)/trace.json"
        _ = try await CommandRun.run("--timeline", file, folder.path)
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let object = try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let events = try XCTUnwrap(object["traceEvents"] as? [[String: Any]])
        let slices = events.filter { $0["ph"] as? String == "X" }
        XCTAssertEqual(
            Set(slices.compactMap { $0["name"] as? String }),
            [
                "find-duplicates \(folder.path)", folder.path, "\(folder.path)/c",
                "sort by size", "compare", "compare 2 files from \(folder.path)/a", "report",
            ]
        )
    }

    func testAnotherEndingEndsWith64BeforeTheSearch() async throws {
        let folder = try folderOfEqualFiles()
        for name in ["timeline", "timeline.png", "json", ""] {
            let run = try await CommandRun.run("--timeline", "\(folder.path)/\(name)", folder.path)
            XCTAssertEqual(run.status, 64)
            XCTAssertEqual(run.output, [])
            XCTAssert(run.messageText.contains(".json, .svg, .mmd, .txt"), run.messageText)
        }
    }

    func testFileThatCannotBeMadeEndsWith73BeforeTheSearch() async throws {
        let folder = try folderOfEqualFiles()
        let file = "\(folder.path)/none/trace.json"
        let run = try await CommandRun.run("--timeline", file, folder.path)
        XCTAssertEqual(run.status, 73)
        XCTAssertEqual(run.output, [])
        XCTAssertEqual(run.messageText, "find-duplicates: \(file): No such file or directory\n")
    }

    func testFileThatCannotBeWrittenEndsWith74AfterTheReport() async throws {
        let folder = try folderOfEqualFiles()
        let file = "\(folder.path)/full.svg"
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
        let run = try await CommandRun.run("--print0", "--timeline", file, folder.path)
        XCTAssertEqual(run.status, 74)
        XCTAssertEqual(run.groups, [[folder.entry("a"), folder.entry("b")]])
        XCTAssertEqual(run.messageText, "find-duplicates: \(file): No space left on device\n")
    }
}
