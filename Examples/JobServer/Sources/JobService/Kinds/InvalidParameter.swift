/// A parameter that a kind of job rejects.
///
/// The client receives status 422.
public struct InvalidParameter: Error, Sendable, Equatable {
    /// The parameter's name, or nil if the problem does not concern a single parameter.
    public let field: String?
    /// One sentence for the user of the form.
    public let sentence: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - field: The parameter's name, or nil if the problem does not concern a single parameter.
    ///   - sentence: One sentence for the user of the form.
    public init(_ field: String?, _ sentence: String) {
        self.field = field
        self.sentence = sentence
    }

    /// Creates an error with the field of a decoding error, which a kind's `Decodable` has thrown.
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
