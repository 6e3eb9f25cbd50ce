/// The store cannot be written or read now; what was asked has not happened.
public struct StoreFailed: Error, CustomStringConvertible, Equatable {
    /// Why, in a few words.
    public let reason: String

    /// Makes an error.
    ///
    /// - Parameter reason: Why, in a few words.
    public init(reason: String) {
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }
}
