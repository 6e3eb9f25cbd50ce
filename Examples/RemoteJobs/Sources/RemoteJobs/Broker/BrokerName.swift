/// Turns any text into a name for the broker's objects and routing keys.
enum BrokerName {
    /// The longest encoded text that a name contains unchanged.
    ///
    /// A routing key contains three of these texts and must not be longer than 255 bytes.
    private static let longest = 80

    /// Encodes a text so that it has no character with a meaning in a routing key.
    ///
    /// Letters, digits, `-`, `_` and non-ASCII characters stay unchanged. Any other byte becomes a
    /// percent sign and two digits. If the result is too long, its end is replaced by a digest.
    ///
    /// - Parameter text: Any text.
    /// - Returns: At most 80 bytes. Different texts have different results.
    static func encoded(_ text: Name) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded += Array("%".utf8) + hexadecimal(byte)
            }
        }
        guard encoded.count > longest else { return String(decoding: encoded, as: UTF8.self) }
        let digest = InputDigest(of: text.utf8).value
        let end = "%~" + String(digest, radix: 16)
        var start = encoded.prefix(longest - 18)
        // Neither a character nor a percent sign with its digits is cut in two.
        while let last = start.last, last & 0xC0 == 0x80 { start = start.dropLast() }
        if let last = start.last, last & 0x80 != 0 { start = start.dropLast() }
        if let percent = start.suffix(2).lastIndex(of: UInt8(ascii: "%")) {
            start = start[..<percent]
        }
        return String(decoding: start, as: UTF8.self) + end
    }

    /// Checks whether a text can name a job, a place or a kind of work.
    static func isValid(_ text: Name) -> Bool { text.isValid }

    /// Rejects a place that is empty, too long, or contains a NUL.
    ///
    /// A nil place is accepted.
    ///
    /// - Throws: ``InvalidNameError``.
    static func check(place: Name?) throws {
        if let place, !isValid(place) { throw InvalidNameError(name: place.text) }
    }

    /// Rejects a key that contains a NUL.
    ///
    /// - Throws: ``InvalidNameError``.
    static func check(key: Name) throws {
        if key.hasNUL { throw InvalidNameError(name: key.text) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
