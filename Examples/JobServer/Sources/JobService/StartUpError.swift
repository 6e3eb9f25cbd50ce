/// Why a server cannot start: one line for standard error, and the status to exit with.
public struct StartUpError: Error, CustomStringConvertible, Equatable {
    /// 64 for what the command line says wrongly, 74 for a file or an address that cannot be used.
    public let status: Int32
    /// One line.
    public let description: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - status: 64 or 74.
    ///   - description: One line.
    public init(_ status: Int32, _ description: String) {
        self.status = status
        self.description = description
    }
}
