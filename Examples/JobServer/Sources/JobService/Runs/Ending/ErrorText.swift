import Foundation

/// Converts errors and results to the text that is stored.
enum ErrorText {
    /// An error in one sentence, its own description if it has one.
    static func sentence(_ error: any Error) -> String {
        let text = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
        return String(text.prefix(2_000))
    }

    /// A result as JSON.
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        // Sorted keys make equal objects equal texts, even if hashing decides their order.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
