import Foundation

/// The format of a report.
public enum ReportFormat: Sendable {
    /// One path per line with unchanged bytes, and an empty line between two groups.
    case plain
    /// Like plain, but with a NUL byte instead of each line break, because no path contains one.
    case print0
    /// Like plain, but with paths that are safe for terminals, see ``BytePath/printableBytes``.
    case terminal
    /// `{"groups":[{"size":…,"paths":[…]}],"scannedFiles":…,"hashedBytes":…}` and a line break.
    ///
    /// JSON is UTF-8, but a path may contain other bytes. Such bytes become U+FFFD. The group of
    /// such a path then also has `"pathsBase64"` with the exact bytes of all its paths in the same
    /// order, and `"pathEncoding"` in the report announces this. The report of a cancelled search
    /// has `"incomplete":true`.
    case json

    /// Writes a report piece by piece.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - write: Receives the next bytes.
    /// - Throws: The errors of `write`.
    public func write(_ report: DuplicateReport, to write: ([UInt8]) throws -> Void) rethrows {
        switch self {
        case .plain: try writeLines(of: report, end: 0x0A, to: write)
        case .print0: try writeLines(of: report, end: 0, to: write)
        case .terminal: try writeLines(of: report, end: 0x0A, \.printableBytes, to: write)
        case .json: try writeJSON(of: report, to: write)
        }
    }

    private func writeLines(
        of report: DuplicateReport,
        end: UInt8,
        _ bytes: (BytePath) -> [UInt8] = \.bytes,
        to write: ([UInt8]) throws -> Void
    ) rethrows {
        for (number, group) in report.groups.enumerated() {
            if number > 0 { try write([end]) }
            for path in group.paths { try write(bytes(path) + [end]) }
        }
    }

    private func writeJSON(
        of report: DuplicateReport,
        to write: ([UInt8]) throws -> Void
    ) rethrows {
        var needsEncoding = false
        try write(Array("{\"groups\":[".utf8))
        for (number, group) in report.groups.enumerated() {
            var text = Array("\(number == 0 ? "" : ","){\"size\":\(group.size),\"paths\":".utf8)
            text += JSONText.array(group.paths.map { JSONText.string($0.bytes) })
            if group.paths.contains(where: { !$0.isUTF8 }) {
                needsEncoding = true
                let exact = group.paths.map { Data($0.bytes).base64EncodedString() }
                text += Array(",\"pathsBase64\":".utf8)
                text += JSONText.array(exact.map { JSONText.string(Array($0.utf8)) })
            }
            try write(text + [0x7D])
        }
        var end = "],\"scannedFiles\":\(report.scannedFiles),\"hashedBytes\":\(report.hashedBytes)"
        if needsEncoding { end += ",\"pathEncoding\":\"\(ReportFormat.pathEncoding)\"" }
        if !report.isComplete { end += ",\"incomplete\":true" }
        try write(Array("\(end)}\n".utf8))
    }

    private static let pathEncoding = """
        UTF-8 with U+FFFD for other bytes; pathsBase64 has the exact bytes in base64, same order
        """
}
