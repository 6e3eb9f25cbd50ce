import Testing

@testable import FindDuplicates

@Suite struct BytePathTests {
    @Test(arguments: [("a", "a/x"), ("a/", "a/x"), ("/", "/x"), (".", "./x")])
    func entryIsJoinedByOneSlash(folder: String, joined: String) {
        let path = Array("x".utf8).withUnsafeBytes { BytePath(folder).appending($0) }
        #expect(path == BytePath(joined))
    }

    @Test func orderIsThatOfTheBytes() {
        let paths: [[UInt8]] = [
            [0x61], [0x61, 0x00], [0x61, 0x2F], [0x7A], [0xC3, 0xA9], [0xE9],
        ]
        #expect(paths.map { BytePath(bytes: $0) }.shuffled().sorted().map(\.bytes) == paths)
    }

    @Test func controlCharactersArePrintedAsInC() {
        let path = BytePath(bytes: [0x61, 0x0A, 0x1B, 0x09, 0x0D, 0x01, 0x7F, 0xE9, 0x62])
        #expect(path.printableBytes == Array("a\\n\\x1b\\t\\r\\x01\\x7f".utf8) + [0xE9, 0x62])
    }

    @Test func bytesOfAnotherEncodingAreNotUTF8() {
        #expect(BytePath("caf\u{E9}").isUTF8)
        #expect(BytePath(bytes: [0x63, 0xE9]).isUTF8 == false)
    }
}
