import Testing

@testable import JobJournal

@Suite struct HashTests {
    /// From `vectors_sip128` of the reference, for the bytes 0, 1, 2 … n − 1.
    @Test(arguments: [
        (8, "3b62a9ba6258f5610f83e264f31497b4"), (9, "264499060ad9baabc47f8b02bb6d71ed"),
        (15, "5493e99933b0a8117e08ec0f97cfc3d9"), (16, "6ee2a4ca67b054bbfd3315bf85230577"),
        (40, "df6a301e95c95dad97ae0cc8c6913bd8"),
    ])
    func digestsAreThoseOfSipHash(count: Int, expected: String) {
        let key = FileKey(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)
        let rest = (8..<max(8, count)).map { UInt8($0) }
        let digest = rest.withUnsafeBytes { SipHash.digest(key, 0x0706_0504_0302_0100, $0) }
        #expect(hexadecimal(digest.bytes) == expected)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func hashesAreThoseOfTheStandard(message: String, expected: String) {
        #expect(hexadecimal(SHA256.digest(message.utf8)) == expected)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
