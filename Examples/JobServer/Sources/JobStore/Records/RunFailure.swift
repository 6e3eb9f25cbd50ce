/// A failed task of a run.
public struct RunFailure: Codable, Equatable, Sendable {
    /// The task's name.
    public var name: String
    /// The reason in one line.
    public var error: String

    /// Creates a failure.
    public init(name: String, error: String) {
        self.name = name
        self.error = error
    }
}
