/// The name of a job's file: one for each id, whatever the id's text, and always inside the folder.
///
/// Lowercase letters, digits, `-` and `_` stand for themselves; every other byte is `%` with two
/// hexadecimal digits, so that a disk that ignores case keeps ids apart. A name that would be long
/// is cut, and ends with `~` and the SHA-256 of the id.
struct JournalFileName: Hashable, Sendable {
    let text: String

    /// Where the file is written anew, before it takes the place of the old one.
    var temporary: String { text + ".new" }

    init(job: String) {
        let name = job.utf8.reduce(into: "") { name, byte in
            if name.utf8.count <= JournalFileName.longest { name += JournalFileName.letters(byte) }
        }
        guard name.utf8.count > JournalFileName.longest else {
            text = name + ".journal"
            return
        }
        let hash = SHA256.digest(job.utf8).map(JournalFileName.hexadecimal).joined()
        text = name.prefix(40) + "~" + hash + ".journal"
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
