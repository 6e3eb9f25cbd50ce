/// A file or folder that could not be read, and why.
public struct FileProblem: Error, Sendable, Hashable {
    /// The file or folder.
    public var path: BytePath
    /// Why it could not be read, in the system's words.
    public let reason: String

    /// Names a file or folder.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - reason: Why it could not be read.
    public init(path: BytePath, reason: String) {
        self.path = path
        self.reason = reason
    }

    init(path: BytePath, _ error: SystemError) {
        self.init(path: path, reason: error.description)
    }

    /// A folder whose entries could not all be read.
    static func incomplete(_ folder: BytePath, _ error: SystemError) -> FileProblem {
        FileProblem(
            path: folder,
            reason: "\(error.description); the entries that the system did not list are missing"
        )
    }
}
