import Testing

@testable import JobJournal

/// S10, for names.
@Suite struct JournalFileNameTests {
    private let ids = [
        "", " ", ".", "..", "../x", "/", "/etc/passwd", "a", "A", "a/b", "a%2fb", "a\u{0}b", "a\nb",
        "é", "e\u{301}", "日本", "-", "_", "%", "~", "a.journal", "a.journal.new", "a.new",
        String(repeating: "x", count: 120), String(repeating: "x", count: 121),
        String(repeating: "/", count: 10_000), String(repeating: "/", count: 9_999),
        String(repeating: "x", count: 40) + "~", "CON", "con",
    ]

    @Test func noTwoIdsShareAFile() {
        let names = ids.flatMap {
            [JournalFileName($0).text, JournalFileName($0).temporary]
        }
        #expect(Set(names.map { $0.lowercased() }).count == 2 * ids.count)
    }

    @Test func everyNameIsShortPlainTextInsideTheFolder() {
        for id in ids {
            let name = JournalFileName(id).temporary
            #expect(name.utf8.count <= 200)
            #expect(name.hasSuffix(".journal.new"))
            #expect(name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") })
        }
    }

    @Test func plainIdsStayReadable() {
        #expect(JournalFileName("import-7_b").text == "import-7_b.journal")
        #expect(JournalFileName("a B").text == "a%20%42.journal")
    }
}
