import Foundation

/// Consecutive rows of a CSV file that are sent together.
struct RowBatch: Sendable {
    static let size = 100

    /// The number of the batch, from 0.
    let number: Int
    let rows: [Substring]

    var key: String { "batch \(number)" }
    var text: String { rows.joined(separator: "\n") }
    var checksum: UInt64 { Checksum.of(text) }

    /// Splits a file into batches.
    ///
    /// Its first line names the columns.
    static func all(of file: URL) throws -> [RowBatch] {
        let rows = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n")
            .dropFirst()
        return stride(from: rows.startIndex, to: rows.endIndex, by: size).enumerated()
            .map {
                RowBatch(number: $0, rows: Array(rows[$1..<min($1 + size, rows.endIndex)]))
            }
    }

    /// Writes a file of customers, the same at each call.
    static func makeFile(at file: URL, rowCount: Int) throws {
        let rows = (0..<rowCount).map { "\($0),Customer \($0),\($0 * 7919 % 10_000)" }
        try (["id,name,balance"] + rows).joined(separator: "\n")
            .write(to: file, atomically: true, encoding: .utf8)
    }
}

/// Detects texts that were damaged during the transfer.
enum Checksum {
    /// > Source: Fowler, Noll and Vo, FNV-1a of 64 bits.
    static func of(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
