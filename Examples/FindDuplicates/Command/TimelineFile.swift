import ArgumentParser
import FindDuplicates
import Foundation
import JobKit

/// The file that the search's timeline goes to, as an argument names it.
struct TimelineFile: Sendable {
    private static let endings = TimelineForm.allCases.map { ".\($0)" }.joined(separator: ", ")

    private let path: BytePath
    private let form: TimelineForm

    /// Takes an argument that ``ArgumentText`` has made a text of.
    ///
    /// - Parameter argument: The text.
    /// - Throws: What is wrong with the file's name.
    init(argument: String) throws {
        path = BytePath(bytes: ArgumentText.bytes(of: argument))
        guard let form = TimelineForm(of: path) else {
            throw ValidationError("The file's name must end with one of \(Self.endings).")
        }
        self.form = form
    }

    /// Makes the file, or empties it, so that one that cannot be written is no surprise at the end.
    ///
    /// - Returns: The file's descriptor, to be closed by the process's end.
    /// - Throws: The exit status, after a message.
    func open() throws -> Int32 {
        let descriptor = path.withCString {
            Foundation.open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno)), EX_CANTCREAT) }
        return descriptor
    }

    /// Writes what the search did.
    ///
    /// - Parameters:
    ///   - timeline: What ran when.
    ///   - descriptor: The file, open.
    /// - Throws: The exit status, after a message.
    func write(_ timeline: Timeline, to descriptor: Int32) throws {
        var output = BufferedOutput(descriptor: descriptor)
        do {
            try output.write(form.bytes(of: timeline))
            try output.flush()
        } catch BufferedOutput.Failure.failed(let reason) {
            throw failure(reason, EX_IOERR)
        } catch {
            // A pipe whose reader has seen enough.
        }
    }

    private func failure(_ reason: String, _ status: Int32) -> ExitCode {
        ErrorOutput.write(path.printableBytes + Array(": \(reason)".utf8))
        return ExitCode(status)
    }
}
