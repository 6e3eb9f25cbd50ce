/// The store cannot be written or read at the moment, and the requested change was not made.
public struct StoreFailed: Error, CustomStringConvertible, Equatable {
    /// The reason in a few words.
    public let reason: String

    /// Creates an error.
    ///
    /// - Parameter reason: The reason in a few words.
    public init(reason: String) {
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }
}
