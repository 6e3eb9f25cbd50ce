import Foundation

/// A Markdown document that contains measured tables between markers.
///
/// A table is between `<!-- measured: NAME -->` and `<!-- end of NAME -->`.
struct MarkedDocument: Sendable {
    /// The whole text.
    private(set) var text: String

    /// Replaces a named table.
    ///
    /// - Returns: Whether the document has the markers of that table.
    mutating func replace(_ name: String, with table: Table) -> Bool {
        let (opening, closing) = ("<!-- measured: \(name) -->", "<!-- end of \(name) -->")
        guard let start = text.range(of: opening),
            let end = text.range(of: closing),
            start.upperBound <= end.lowerBound
        else { return false }
        text.replaceSubrange(
            start.upperBound..<end.lowerBound,
            with: "\n\n\(table.markdownRows)\n"
        )
        return true
    }
}
