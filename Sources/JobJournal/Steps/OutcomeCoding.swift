import Foundation

/// How a step's outcome stands in the file.
struct OutcomeCoding<Output: Sendable>: Sendable {
    let encode: @Sendable (Output) throws -> Data
    let decode: @Sendable (Data) throws -> Output
}

extension OutcomeCoding where Output: Codable {
    /// As JSON.
    static var json: OutcomeCoding {
        OutcomeCoding(
            encode: { try Coders.outcome.encode($0) },
            decode: { try Coders.decoder.decode(Output.self, from: $0) }
        )
    }
}

extension OutcomeCoding where Output == Void {
    /// As nothing: that the step has succeeded is all there is to know.
    static var nothing: OutcomeCoding {
        OutcomeCoding(
            encode: { Data() },
            decode: { data in
                guard data.isEmpty else {
                    let context = DecodingError.Context(
                        codingPath: [],
                        debugDescription: "The step had a value when it was recorded."
                    )
                    throw DecodingError.dataCorrupted(context)
                }
            }
        )
    }
}

/// Foundation's coders are safe on many threads, as long as their options stay as they are.
enum Coders {
    static let outcome = JSONEncoder()
    static let decoder = JSONDecoder()

    /// Of equal inputs it makes equal bytes, whatever the order of a dictionary.
    static let input: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
}
