/// The reason why a database is not usable, in one sentence that names the file.
public struct JobStoreError: Error, CustomStringConvertible, Equatable {
    /// One sentence.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: One sentence.
    public init(_ description: String) {
        self.description = description
    }
}
