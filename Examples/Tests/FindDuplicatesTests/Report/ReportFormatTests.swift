import Foundation
import Testing

@testable import FindDuplicates

@Suite struct ReportFormatTests {
    private func report(_ groups: [[[UInt8]]], isComplete: Bool = true) -> DuplicateReport {
        DuplicateReport(
            groups: groups.map { paths in
                DuplicateGroup(size: 3, paths: paths.map { BytePath(bytes: $0) })
            },
            scannedFiles: 7,
            hashedBytes: 12,
            isComplete: isComplete
        )
    }

    private func text(_ report: DuplicateReport, _ format: ReportFormat) -> [UInt8] {
        var text: [UInt8] = []
        format.write(report) { text += $0 }
        return text
    }

    private let ascii: [[[UInt8]]] = [
        ["a", "b"].map { Array($0.utf8) }, ["c", "d"].map { Array($0.utf8) },
    ]

    @Test func plainSeparatesGroupsByAnEmptyLine() {
        #expect(text(report(ascii), .plain) == Array("a\nb\n\nc\nd\n".utf8))
        #expect(text(report([]), .plain) == [])
    }

    @Test func print0HasZerosForLineBreaks() {
        #expect(text(report(ascii), .print0) == Array("a\0b\0\0c\0d\0".utf8))
    }

    @Test func pathsAreWrittenAsTheirBytesAre() {
        let odd: [UInt8] = [0x61, 0x0A, 0xE9, 0xFF]
        #expect(text(report([[odd, odd]]), .print0) == odd + [0] + odd + [0])
    }

    @Test func terminalShowsPathsEscapedAndOtherwiseAsPlain() {
        let odd = Array("\u{1B}[31m\\".utf8)
        #expect(
            text(report([[odd, odd]]), .terminal) == Array("\\x1b[31m\\\\\n\\x1b[31m\\\\\n".utf8)
        )
        #expect(text(report(ascii), .terminal) == text(report(ascii), .plain))
    }

    @Test func jsonOfUTF8HasTheFourKeysAlone() {
        let expected = #"""
            {"groups":[{"size":3,"paths":["a","b"]},{"size":3,"paths":["c","d"]}],"scannedFiles":7,"hashedBytes":12}

            """#
        #expect(String(decoding: text(report(ascii), .json), as: UTF8.self) == expected)
        let none = #"{"groups":[],"scannedFiles":7,"hashedBytes":12}"#
        #expect(String(decoding: text(report([]), .json), as: UTF8.self) == none + "\n")
    }

    @Test func jsonSaysHowOtherBytesAreEncoded() throws {
        let odd: [UInt8] = [0x61, 0xE9]
        let written = text(report([[odd, [0x62]], [[0x63], [0x64]]]), .json)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(written)) as? [String: Any]
        )
        let groups = try #require(object["groups"] as? [[String: Any]])
        #expect(groups[0]["paths"] as? [String] == ["a\u{FFFD}", "b"])
        let exact = try #require(groups[0]["pathsBase64"] as? [String])
        #expect(exact.compactMap { Data(base64Encoded: $0).map(Array.init) } == [odd, [0x62]])
        #expect(groups[1]["pathsBase64"] == nil)
        #expect((object["pathEncoding"] as? String)?.contains("base64") == true)
    }

    @Test func jsonOfACancelledSearchSaysSo() throws {
        let written = text(report(ascii, isComplete: false), .json)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(written)) as? [String: Any]
        )
        #expect(object["incomplete"] as? Bool == true)
    }

    @Test func jsonStringsComeBackAsTheyWere() throws {
        let odd = (1...127).map { UInt8($0) } + Array("\u{E9}\u{1F600}\u{2028}".utf8)
        let written = [0x5B] + JSONText.string(odd) + [0x5D]
        let array = try JSONSerialization.jsonObject(with: Data(written)) as? [String]
        #expect(array == [String(decoding: odd, as: UTF8.self)])
    }
}
