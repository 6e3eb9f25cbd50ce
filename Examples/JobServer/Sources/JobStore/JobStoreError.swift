/// Why a database cannot be used, in one sentence that names the file.
public struct JobStoreError: Error, CustomStringConvertible, Equatable {
    /// The sentence.
    public let description: String

    /// Makes an error.
    ///
    /// - Parameter description: One sentence.
    public init(_ description: String) {
        self.description = description
    }
}
