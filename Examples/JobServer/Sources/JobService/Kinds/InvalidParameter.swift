/// A parameter that a kind of job cannot take; the client is told with 422.
public struct InvalidParameter: Error, Sendable, Equatable {
    /// The parameter's name; nil if it is none alone.
    public let field: String?
    /// One sentence for the person who filled in the form.
    public let sentence: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - field: The parameter's name; nil if it is none alone.
    ///   - sentence: One sentence for the person who filled in the form.
    public init(_ field: String?, _ sentence: String) {
        self.field = field
        self.sentence = sentence
    }

    /// Names the field of an error that a `Decodable` of the kind's threw.
    init(_ error: DecodingError) {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context): context
            case .keyNotFound(let key, let context):
                DecodingError.Context(
                    codingPath: context.codingPath + [key],
                    debugDescription: context.debugDescription
                )
            case .dataCorrupted(let context): context
            @unknown default: nil
            }
        let field = context?.codingPath.first?.stringValue
        self.init(field, "\(field ?? "A value") cannot be used.")
    }
}
