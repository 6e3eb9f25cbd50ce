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
        #expect(path.printableBytes == Array("a\\n\\x1b\\t\\r\\x01\\x7f\\xe9b".utf8))
    }

    @Test(arguments: [
        ("c1\u{9B}31m", "c1\\u009b31m"), ("rtl\u{202E}gpj.exe", "rtl\\u202egpj.exe"),
        ("\u{2066}x\u{2069}", "\\u2066x\\u2069"), ("a\u{2028}b", "a\\u2028b"),
        ("\u{E0041}", "\\U000e0041"), ("a\\nb", "a\\\\nb"),
        ("caf\u{E9} \u{1F468}\u{200D}\u{1F469}", "caf\u{E9} \u{1F468}\u{200D}\u{1F469}"),
    ])
    func whatChangesATerminalIsEscapedAndTheRestIsNot(name: String, shown: String) {
        #expect(String(decoding: BytePath(name).printableBytes, as: UTF8.self) == shown)
    }

    @Test func rawControlByteOfEightBitTerminalsIsEscaped() {
        let path = BytePath(bytes: Array("raw".utf8) + [0x9B] + Array("31m".utf8))
        #expect(path.printableBytes == Array("raw\\x9b31m".utf8))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func differentNamesAreShownDifferently(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet: [UInt8] = [0x5C, 0x6E, 0x0A, 0x78, 0x30, 0x9B, 0xC2, 0x31, 0x1B, 0x62]
        let names = (0..<300)
            .map { _ in
                (0..<4).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            }
        let shown = Set(names.map { BytePath(bytes: $0).printableBytes })
        #expect(shown.count == Set(names).count)
    }

    @Test func movedPathKeepsWhatLiesBelow() {
        for (folder, other, moved) in [(".", "a/b", "a/b/c/d"), ("./", "/", "/c/d")] {
            let path = BytePath("./c/d").moved(from: BytePath(folder), to: BytePath(other))
            #expect(path == BytePath(moved))
        }
        #expect(BytePath("/c").moved(from: BytePath("/"), to: BytePath("x")) == BytePath("x/c"))
    }

    /// A path that the user names may be a file, which a slash after its name would make a folder.
    @Test func movedPathOfTheWholeIsTheOtherPath() {
        for whole in ["link", "./link"] {
            let path = BytePath(whole).moved(from: BytePath(whole), to: BytePath("a"))
            #expect(path == BytePath("a"))
        }
    }

    @Test func bytesOfAnotherEncodingAreNotUTF8() {
        #expect(BytePath("caf\u{E9}").isUTF8)
        #expect(BytePath(bytes: [0x63, 0xE9]).isUTF8 == false)
    }
}
