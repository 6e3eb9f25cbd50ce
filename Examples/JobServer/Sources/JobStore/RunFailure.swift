/// A task of a run that failed.
public struct RunFailure: Codable, Equatable, Sendable {
    /// The task's name.
    public var name: String
    /// Why it failed, in one line.
    public var error: String

    /// Makes a failure.
    public init(name: String, error: String) {
        self.name = name
        self.error = error
    }
}
