import Foundation
import XCTest

/// Checks that worlds call every public member, by searching the sources.
final class WorldCoverageTests: XCTestCase {
    private static let root = (0..<6)
        .reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The members that worlds call without their names.
    private static let others: Set<String> = [
        "hash",  // group: each tracked task's
        "encode",  // snapshot or timeline: a value's
        "errorDescription",  // error: its text
        "waitUntilAllOperationsAreFinished",  // blocks the thread
    ]

    /// Returns all Swift files of a folder as one text.
    private func text(of folder: String) throws -> String {
        let url = Self.root.appendingPathComponent(folder)
        let all = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        let files = (all?.allObjects ?? []).compactMap { $0 as? URL }
        return try files.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
            .joined(separator: "\n")
    }

    private func found(_ pattern: String, in text: String) throws -> Set<String> {
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        let whole = NSRange(text.startIndex..., in: text)
        let names = expression.matches(in: text, range: whole)
            .compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } }
        return Set(names)
    }

    func testWorldsCallEveryPublicMember() throws {
        let folder = Self.root.appendingPathComponent("Sources").path
        try XCTSkipUnless(FileManager.default.fileExists(atPath: folder), "without its sources")
        let worlds = "Tests/Endurance/Tests/JobKitEnduranceTests/Worlds"
        let words = try found("(\\w+)", in: text(of: worlds))
        let declaration =
            "^ *(?:@\\w+(?:\\(.*?\\))? +)*(?:public|open) "
            + "(?:(?:final|static|weak|private\\(set\\)) )*(?:func|var) (\\w+)"
        let members = try found(declaration, in: text(of: "Sources/JobKit"))
        XCTAssertGreaterThan(members.count, 60, "the members are found")
        XCTAssertEqual(members.subtracting(words).subtracting(Self.others).sorted(), [])
    }
}
