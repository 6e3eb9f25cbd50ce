/// A text that names something, compared by its bytes.
///
/// Swift compares `String`s by canonical equivalence: `é` in one scalar equals `e` and a combining
/// accent, and `K` equals the sign for Kelvin. However, these are different names for brokers,
/// databases and file systems. Therefore, every name that is looked up or compared has this type.
/// Text that people only read stays a `String`. `.ci/checks/names` finds new names that are
/// `String`s.
package struct Name: Sendable {
    /// The name.
    package let text: String

    package init(_ text: some StringProtocol) {
        self.text = String(text)
    }

    /// Its bytes.
    package var utf8: String.UTF8View { text.utf8 }
    package var isEmpty: Bool { text.isEmpty }
    /// Whether it contains a NUL, which ends a text in C and SQLite.
    package var hasNUL: Bool { text.utf8.contains(0) }
    /// Whether it has 1 to 100 bytes and no NUL.
    package var isValid: Bool { 1...100 ~= text.utf8.count && !hasNUL }
}

extension Name: Hashable {
    package static func == (a: Name, b: Name) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8(0xFF))
    }
}

extension Name: Comparable {
    package static func < (a: Name, b: Name) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }
}

extension Name: CustomStringConvertible {
    package var description: String { text }
}

extension Name: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Name: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
