import Foundation
import Testing

// O9: a test cannot call code that the compiler must reject, so this test reads declarations.
@Suite struct BlockingCallTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    private func publicWaits(in text: String) -> [(name: String, attributes: String)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            let blocking = /public .*func (wait\w*|startAndWait|\w+(?=\(.*waitUntilFinished:))\(/
            // The expression is slow, and most lines are no declaration.
            guard let first = lines[index].first(where: { $0 != " " }), "pof@".contains(first),
                let match = lines[index].firstMatch(of: blocking)
            else { return nil }
            // The declaration ends at its body, and its attributes are on the lines above.
            let declaration = lines[index...].prefix { !$0.contains("{") } + [lines[index]]
            guard !declaration.contains(where: { $0.contains(" async") }) else { return nil }
            return (String(match.1), attributes(above: index, of: lines))
        }
    }

    /// Returns the lines between the documentation and the declaration.
    private func attributes(above index: Int, of lines: [Substring]) -> String {
        lines[..<index].reversed().prefix { !$0.contains("///") && !$0.contains("}") }
            .reversed().joined(separator: " ")
    }

    @Test func callThatBlocksIsNotForAsyncCode() throws {
        let files = try #require(
            FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil)
        )
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            // The expression is slow, and most files have no such name.
            let names = ["func wait", "func startAndWait", "waitUntilFinished:"]
            guard names.contains(where: text.contains) else { continue }
            for (name, attributes) in publicWaits(in: text) {
                found.insert(name)
                let isUnavailable = attributes.contains(/@available\(\s*\*,\s*noasync/)
                #expect(isUnavailable, "\(name) in \(file): \(attributes)")
            }
        }
        let blocking = [
            "addOperations", "startAndWait", "wait", "waitUntilAllOperationsAreFinished",
        ]
        #expect(found == Set(blocking))
    }
}
