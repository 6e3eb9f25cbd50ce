import ArgumentParser
import Foundation
import JobKit

/// The file for the timeline of the search.
struct TimelineOutput: Sendable {
    /// The format of a timeline, selected by the file name's extension.
    enum Form: String, CaseIterable, Sendable {
        case json
        case svg
        case mmd
        case txt
    }

    private let path: String
    private let form: Form

    /// Parses a file name.
    ///
    /// - Throws: A description of the problem.
    init(argument: String) throws {
        path = argument
        let name = argument.lowercased()
        guard let form = Form.allCases.first(where: { name.hasSuffix(".\($0)") }) else {
            let endings = Form.allCases.map { ".\($0)" }.joined(separator: ", ")
            throw ValidationError("The file's name must end with one of \(endings).")
        }
        self.form = form
    }

    /// Creates or empties the file early, so that a file that cannot be written is reported at the
    /// start.
    ///
    /// - Throws: The exit status, after a message.
    func open() throws -> Int32 {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw Output.failure("\(path): \(String(cString: strerror(errno)))", EX_CANTCREAT)
        }
        return descriptor
    }

    /// Writes the timeline of the search.
    ///
    /// - Throws: The exit status, after a message.
    func write(_ timeline: Timeline, to descriptor: Int32) throws {
        let bytes: [UInt8] =
            switch form {
            case .json: Array(timeline.chromeTrace())
            case .svg: Array(timeline.svg().utf8)
            case .mmd: Array(timeline.mermaid().utf8)
            case .txt: Array((timeline.text() + "\n").utf8)
            }
        try Output.write(bytes, to: descriptor, named: path)
    }
}
