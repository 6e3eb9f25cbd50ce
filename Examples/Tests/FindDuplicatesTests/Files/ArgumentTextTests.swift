import Testing

@testable import FindDuplicates

@Suite struct ArgumentTextTests {
    @Test(arguments: [
        "", "plain", "-x", "caf\u{E9}", "\u{1F468}\u{200D}\u{1F469}", "e\u{301}", "\r\n",
    ])
    func textThatIsUTF8StaysAsItIs(text: String) {
        let made = ArgumentText.text(of: Array(text.utf8))
        #expect(Array(made.utf8) == Array(text.utf8))
    }

    @Test(arguments: [
        [0xFF], [0x63, 0xE9], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x8F, 0xBD, 0x81],
        [0xF4, 0x8F, 0xBF, 0xBF, 0xE9], [0xC0, 0x80], [0xF0, 0x9F, 0x98],
    ])
    func bytesComeBackAsTheyWere(bytes: [UInt8]) {
        #expect(ArgumentText.bytes(of: ArgumentText.text(of: bytes)) == bytes)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func randomBytesComeBackAsTheyWere(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<40).map { _ in UInt8.random(in: 1...255, using: &generator) }
        #expect(ArgumentText.bytes(of: ArgumentText.text(of: bytes)) == bytes)
    }
}
