/// A titled table that can be written as plain text or as Markdown.
struct Table: Sendable {
    /// The title of the table.
    let title: String
    /// The column names.
    ///
    /// The first column is aligned left, the others right.
    let header: [String]
    /// The rows, each with as many cells as the header.
    var rows: [[String]] = []

    /// The table for a terminal.
    var text: String {
        let widths = columnWidths
        let lines = ([header] + rows)
            .map { row in
                zip(row, widths).enumerated()
                    .map { column, cell in
                        Self.pad(cell.0, to: cell.1, leading: column > 0)
                    }
                    .joined(separator: "  ")
            }
        let rule = String(repeating: "─", count: widths.reduce(-2) { $0 + $1 + 2 })
        return ([title, rule, lines[0], rule] + lines.dropFirst()).joined(separator: "\n") + "\n"
    }

    /// The table for a document.
    var markdown: String { "**\(title)**\n\n" + markdownRows }

    /// The table for a document that has its own title for it.
    var markdownRows: String {
        let alignments = header.indices.map { $0 == 0 ? "---" : "--:" }
        let lines = ([header, alignments] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
        return lines.joined(separator: "\n") + "\n"
    }

    private var columnWidths: [Int] {
        header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
    }

    private static func pad(_ cell: String, to width: Int, leading: Bool) -> String {
        let padding = String(repeating: " ", count: width - cell.count)
        return leading ? padding + cell : cell + padding
    }
}
