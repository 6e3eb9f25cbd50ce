import Foundation
import JobKitTesting
import XCTest

@testable import launch_timeline

final class LaunchTimelineExampleTests: XCTestCase {
    private func launch(_ folder: URL) async -> [String] {
        let log = EventLog()
        await AppLaunch(folder: folder) { log.record($0) }.run(user: "Ann")
        // The indentation of a line depends on the times before it.
        return log.events.map {
            $0.replacing(#/\d+ms/#, with: "0ms").replacing(#/\n +- /#, with: "\n- ")
        }
    }

    func testTimelineHasTheTasksInTheirStages() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (number, text) in ["one", "two", "one"].enumerated() {
            try Data(text.utf8).write(to: folder.appending(path: "\(number)"))
        }
        let lines = await launch(folder)
        XCTAssertEqual(
            Array(lines.prefix(6)),
            [
                "Making the window", "Files: 3", "\(folder.lastPathComponent), for Ann",
                "Different contents: 2",
                """
                [Launch start] - [Make title 0ms] - [List files 0ms] - [Make window 0ms] \
                - [Show count 0ms] - [Waiting 0ms] - [Show title 0ms] - [Show contents 0ms] \
                - [Launch finish]
                - [Hash even files 0ms]
                - [Hash odd files 0ms]
                """,
                "What decided how long it took:",
            ]
        )
        XCTAssertTrue(lines.last?.hasPrefix("Show contents, ") == true)
    }

    func testLaunchGoesOnWithoutTheFolder() async {
        let lines = await launch(URL(filePath: "/nowhere"))
        XCTAssertTrue(lines.contains("Different contents: 0"))
        XCTAssertTrue(lines.contains { $0.contains("[List files 0ms failed]") })
    }
}
