import Foundation
import JobKit

/// The format of a timeline, chosen by the extension of the file's name.
package enum TimelineForm: String, CaseIterable, Sendable {
    /// A trace for Perfetto and `chrome://tracing`.
    case json
    /// A picture for a browser.
    case svg
    /// A Mermaid chart for a Markdown page, for up to a few hundred tasks.
    case mmd
    /// One line per task.
    case txt

    /// Selects the format by the file name's extension.
    ///
    /// Returns `nil` for any other extension.
    ///
    /// - Parameter path: The file. The case of its letters does not matter.
    package init?(of path: BytePath) {
        let name = String(decoding: path.bytes, as: UTF8.self).lowercased()
        guard let form = Self.allCases.first(where: { name.hasSuffix(".\($0)") }) else {
            return nil
        }
        self = form
    }

    /// Writes a timeline in this format.
    ///
    /// - Parameter timeline: The timeline.
    /// - Returns: The content of the file. Text ends with a line break.
    package func bytes(of timeline: Timeline) -> [UInt8] {
        switch self {
        case .json: Array(timeline.chromeTrace())
        case .svg: Array(timeline.svg().utf8)
        case .mmd: Array(timeline.mermaid().utf8)
        case .txt: Array((timeline.text() + "\n").utf8)
        }
    }
}
