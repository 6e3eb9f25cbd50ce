/// A file or folder that could not be read, and why.
public struct FileProblem: Error, Sendable {
    /// The file or folder.
    public let path: BytePath
    /// Why it could not be read, in the system's words.
    public let reason: String

    init(path: BytePath, reason: String) {
        self.path = path
        self.reason = reason
    }

    init(path: BytePath, _ error: SystemError) {
        self.init(path: path, reason: error.description)
    }
}
