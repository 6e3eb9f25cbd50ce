import JobObservability
import Logging
import Synchronization
import Testing

@Suite struct LineLogHandlerTests {
    @Test func anEventIsOneLineWhateverItContains() {
        let box = Lines()
        var logger = Logger(label: "l") { LineLogHandler(label: $0) { box.add($0) } }
        logger[metadataKey: "a"] = "one\ntwo"
        logger.info("text\r\nINFO forged", metadata: ["b": "has \"quotes\" and =", "c": ""])
        #expect(box.all.count == 1)
        let line = box.all.first ?? ""
        #expect(line.hasSuffix("\n"))
        #expect(!line.dropLast().contains { $0.isNewline })
        #expect(
            line.contains(
                "l: text\\r\\nINFO forged a=one\\ntwo b=\"has \\\"quotes\\\" and =\" c=\"\""
            )
        )
    }

    @Test(arguments: [("plain ü", "plain ü"), ("\u{1B}[31m\u{2028}", "\\u{1b}[31m\\u{2028}")])
    func controlCharactersAreSpelled(text: String, line: String) {
        #expect(LogText.oneLine(text) == line)
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
