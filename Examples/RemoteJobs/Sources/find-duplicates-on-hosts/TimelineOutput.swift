import ArgumentParser
import Foundation
import JobKit

/// The file that the search's timeline goes to.
struct TimelineOutput: Sendable {
    /// How a timeline is written: the ending of the file's name says it.
    enum Form: String, CaseIterable, Sendable {
        case json
        case svg
        case mmd
        case txt
    }

    private let path: String
    private let form: Form

    /// Takes a file's name.
    ///
    /// - Throws: What is wrong with it.
    init(argument: String) throws {
        path = argument
        let name = argument.lowercased()
        guard let form = Form.allCases.first(where: { name.hasSuffix(".\($0)") }) else {
            let endings = Form.allCases.map { ".\($0)" }.joined(separator: ", ")
            throw ValidationError("The file's name must end with one of \(endings).")
        }
        self.form = form
    }

    /// Makes the file, or empties it, so that one that cannot be written is no surprise at the end.
    ///
    /// - Throws: The exit status, after a message.
    func open() throws -> Int32 {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw Output.failure("\(path): \(String(cString: strerror(errno)))", EX_CANTCREAT)
        }
        return descriptor
    }

    /// Writes what the search did.
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
