import ArgumentParser
import FindDuplicates
import Foundation
import JobKit

/// The file for the timeline of the search, from an argument.
struct TimelineFile: Sendable {
    private static let endings = TimelineForm.allCases.map { ".\($0)" }.joined(separator: ", ")

    private let path: BytePath
    private let form: TimelineForm

    /// Parses an argument that ``ArgumentText`` has converted to text.
    ///
    /// - Parameter argument: The text.
    /// - Throws: A description of the problem.
    init(argument: String) throws {
        path = BytePath(bytes: ArgumentText.bytes(of: argument))
        guard let form = TimelineForm(of: path) else {
            throw ValidationError("The file's name must end with one of \(Self.endings).")
        }
        self.form = form
    }

    /// Creates or empties the file early, so that a file that cannot be written is reported at the
    /// start.
    ///
    /// - Returns: The file's descriptor, which is closed at the end of the process.
    /// - Throws: The exit status, after a message.
    func open() throws -> Int32 {
        let descriptor = path.withCString {
            Foundation.open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno)), EX_CANTCREAT) }
        return descriptor
    }

    /// Writes the timeline of the search.
    ///
    /// - Parameters:
    ///   - timeline: The timeline.
    ///   - descriptor: The open file.
    /// - Throws: The exit status, after a message.
    func write(_ timeline: Timeline, to descriptor: Int32) throws {
        var output = BufferedOutput(descriptor: descriptor)
        do {
            try output.write(form.bytes(of: timeline))
            try output.flush()
        } catch BufferedOutput.Failure.failed(let reason) {
            throw failure(reason, EX_IOERR)
        } catch {
            // The reader has closed the pipe, which is not an error.
        }
    }

    private func failure(_ reason: String, _ status: Int32) -> ExitCode {
        ErrorOutput.write(path.printableBytes + Array(": \(reason)".utf8))
        return ExitCode(status)
    }
}
