/// A file or folder that could not be read, with the reason.
public struct FileProblem: Error, Sendable, Hashable {
    /// The file or folder.
    public var path: BytePath
    /// The reason, in the system's words.
    public let reason: String

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - reason: The reason why it could not be read.
    public init(path: BytePath, reason: String) {
        self.path = path
        self.reason = reason
    }

    init(path: BytePath, _ error: SystemError) {
        self.init(path: path, reason: error.description)
    }

    /// Creates the problem of a file or folder that may be another one with the same number.
    static func ambiguous(
        _ path: BytePath,
        _ known: BytePath,
        _ error: SystemError
    ) -> FileProblem {
        let known = String(decoding: known.printableBytes, as: UTF8.self)
        let reason = "\(error.description); it has the number of \(known) and may be the same"
        return FileProblem(path: path, reason: reason)
    }

    /// Creates the problem of a folder that could not be read completely.
    static func incomplete(_ folder: BytePath, _ error: SystemError) -> FileProblem {
        FileProblem(
            path: folder,
            reason: "\(error.description); the entries that the system did not list are missing"
        )
    }
}
