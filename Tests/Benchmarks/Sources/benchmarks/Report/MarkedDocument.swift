import Foundation

/// A Markdown document that holds measured tables between marks.
///
/// A table stands between `<!-- measured: NAME -->` and `<!-- end of NAME -->`.
struct MarkedDocument: Sendable {
    /// The whole text.
    private(set) var text: String

    /// Replaces the table of a name; returns false if the document has no such marks.
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
