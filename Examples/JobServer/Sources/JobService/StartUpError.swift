/// The reason why a server cannot start: a line for standard error, and the exit status.
public struct StartUpError: Error, CustomStringConvertible, Equatable {
    /// 64 for invalid options, 74 for a file or an address that is not usable.
    public let status: Int32
    /// One line.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: 64 or 74.
    ///   - description: One line.
    public init(_ status: Int32, _ description: String) {
        self.status = status
        self.description = description
    }
}
