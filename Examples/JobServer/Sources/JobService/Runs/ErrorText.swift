import Foundation

/// What errors and results are kept as.
enum ErrorText {
    /// An error in one sentence, in its own words if it has any.
    static func sentence(_ error: any Error) -> String {
        let text = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
        return String(text.prefix(2_000))
    }

    /// A result as JSON.
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        // Objects read the same each time, also where a hash decides their order.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
