#if os(Linux)
import FindDuplicates
import Foundation
import XCTest

/// Tests the command on file systems that fail, or give their files unusual numbers.
final class FaultyFilesTests: XCTestCase {
    private func search(_ folder: TemporaryFolder, _ fault: String) async throws -> CommandRun {
        let library = URL(fileURLWithPath: CommandRun.command).deletingLastPathComponent()
            .appendingPathComponent("libFaultyFiles.so")
        let script = #"export LD_PRELOAD="$1" "$2"; exec "$0" --print0 "$3""#
        let run = try await CommandRun.script(script, library.path, fault, folder.path)
        // The loader reports a library that it cannot load, and continues without it.
        XCTAssertFalse(run.messageText.contains("LD_PRELOAD"), run.messageText)
        return run
    }

    func testEntriesBeforeAnErrorInAFolderAreSearched() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<200 { folder.makeFile("\(number)", "same") }
        let run = try await search(folder, "FAULTY_LISTING=100")
        XCTAssertEqual(run.groups.map(\.count), [100])
        let reason = "Input/output error; the entries that the system did not list are missing"
        XCTAssertEqual(run.messageText, "find-duplicates: \(folder.path): \(reason)\n")
        XCTAssertEqual(run.status, 1)
    }

    /// The two names of `d` are one file.
    func testFilesAndFoldersWithOneNumberAreAllFound() async throws {
        let folder = try TemporaryFolder()
        for name in ["1", "2", "2/3"] { folder.makeFolder(name) }
        let names = ["1/a", "1/b", "2/a", "2/3/a", "2/3/c", "d"]
        let files = names.map { folder.makeFile($0, "same") }
        files[5]
            .withName { file in
                folder.entry("e").withName { requireSuccess(link(file, $0), "link") }
            }
        for name in ["other", "2/other"] { folder.makeFile(name, "else") }
        let run = try await search(folder, "FAULTY_NUMBERS=same")
        let others = ["2/other", "other"].map { folder.entry($0) }
        XCTAssertEqual(run.groups, [files.sorted(), others])
        XCTAssertEqual(run.messageText, "")
        XCTAssertEqual(run.status, 0)
    }

    func testFilesWithNewNumbersAreNamedWithThatReason() async throws {
        let folder = try TemporaryFolder()
        let files = ["a", "b"].map { folder.makeFile($0, "same") }
        let run = try await search(folder, "FAULTY_NUMBERS=new")
        XCTAssertEqual(run.groups, [])
        let reason = "was replaced, or its file system gives it another number each time"
        let lines = files.map {
            "find-duplicates: \(String(decoding: $0.bytes, as: UTF8.self)): \(reason)\n"
        }
        XCTAssertEqual(run.messageText, lines.joined())
        XCTAssertEqual(run.status, 1)
    }
}
#endif
