import Foundation
import JobKit

/// The format of a timeline, chosen by the extension of the file's name.
package enum TimelineForm: String, CaseIterable, Sendable {
    /// A trace that opens in Perfetto and in `chrome://tracing`.
    case json
    /// A picture, for a browser.
    case svg
    /// A Mermaid chart, for a Markdown page; up to a few hundred tasks.
    case mmd
    /// A line per task.
    case txt

    /// The form that a file's name ends with; `nil` if it ends with another.
    ///
    /// - Parameter path: The file, in capitals or not.
    package init?(of path: BytePath) {
        let name = String(decoding: path.bytes, as: UTF8.self).lowercased()
        guard let form = Self.allCases.first(where: { name.hasSuffix(".\($0)") }) else {
            return nil
        }
        self = form
    }

    /// Writes a timeline in this form.
    ///
    /// - Parameter timeline: What ran when.
    /// - Returns: The whole file; text ends with a line break.
    package func bytes(of timeline: Timeline) -> [UInt8] {
        switch self {
        case .json: Array(timeline.chromeTrace())
        case .svg: Array(timeline.svg().utf8)
        case .mmd: Array(timeline.mermaid().utf8)
        case .txt: Array((timeline.text() + "\n").utf8)
        }
    }
}
