/// A file name that is different for each id and always inside the folder.
///
/// Lowercase letters, digits, `-` and `_` are kept. Every other byte becomes `%` with two
/// hexadecimal digits, so that names stay different on a disk that ignores case. A long name is
/// cut, and ends with `~` and the SHA-256 of the id.
struct JournalFileName: Hashable, Sendable {
    let text: String

    /// The name of a new file before it replaces the old one.
    var temporary: String { text + ".new" }

    /// The name of a job's journal, or of a named outbox.
    init(_ id: String, suffix: String = ".journal") {
        let name = id.utf8.reduce(into: "") { name, byte in
            if name.utf8.count <= JournalFileName.longest { name += JournalFileName.letters(byte) }
        }
        guard name.utf8.count > JournalFileName.longest else {
            text = name + suffix
            return
        }
        let hash = SHA256.digest(id.utf8).map(JournalFileName.hexadecimal).joined()
        text = name.prefix(40) + "~" + hash + suffix
    }

    private static let longest = 120

    private static func letters(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            String(UnicodeScalar(byte))
        default: "%" + hexadecimal(byte)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
