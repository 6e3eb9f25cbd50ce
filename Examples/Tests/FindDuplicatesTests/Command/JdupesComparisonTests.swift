import FindDuplicates
import Foundation
import XCTest

/// Compares the result for a system folder with that of `jdupes`, which must be installed.
final class JdupesComparisonTests: XCTestCase {
    func testGroupsOfASystemFolderAreThoseOfJdupes() async throws {
        let jdupes = "/usr/bin/jdupes"
        XCTAssert(
            FileManager.default.isExecutableFile(atPath: jdupes),
            "jdupes is not installed; on Debian: apt-get install jdupes"
        )
        let theirs = try await CommandRun.run(jdupes, ["-r", "-q", "-0", "/usr/share"])
        let ours = try await CommandRun.run("--print0", "/usr/share")
        XCTAssertEqual(ours.messageText, "")
        XCTAssertEqual(ours.status, 0)
        // Each command may name a different one of several hard links to a file.
        let (ourFiles, theirFiles) = (files(ours.groups), files(theirs.groups))
        XCTAssertGreaterThan(theirFiles.count, 10)
        XCTAssert(
            ourFiles == theirFiles,
            "\(ourFiles.symmetricDifference(theirFiles).count) groups differ"
        )
    }

    private func files(_ groups: [[BytePath]]) -> Set<Set<FileKey>> {
        Set(groups.map { Set($0.map { FileKey($0) }) })
    }
}
