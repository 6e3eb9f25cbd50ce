/// One parameter as a form shows it.
public struct ParameterField: Sendable {
    /// What a person types.
    public enum Input: Sendable, Equatable {
        /// One line of text.
        case text
        /// A whole number.
        case integer(ClosedRange<Int>)
        /// Yes or no.
        case flag
        /// Several texts, separated by commas.
        case texts
    }

    /// The parameter's name, as clients send it.
    public let name: String
    /// What the form calls it.
    public let label: String
    /// What a person types.
    public let input: Input
    /// Whether a run needs it.
    public let isRequired: Bool
    /// What the form says beside it.
    public let hint: String?

    /// Describes a parameter.
    ///
    /// - Parameters:
    ///   - name: The parameter's name, as clients send it.
    ///   - label: What the form calls it.
    ///   - input: What a person types.
    ///   - isRequired: Whether a run needs it.
    ///   - hint: What the form says beside it.
    public init(
        _ name: String,
        _ label: String,
        _ input: Input = .text,
        isRequired: Bool = true,
        hint: String? = nil
    ) {
        self.name = name
        self.label = label
        self.input = input
        self.isRequired = isRequired
        self.hint = hint
    }

    /// The field as JSON.
    var json: String {
        var (kind, least, most) = ("text", "null", "null")
        switch input {
        case .text: break
        case .flag: kind = "flag"
        case .texts: kind = "texts"
        case .integer(let range):
            (kind, least, most) = ("integer", "\(range.lowerBound)", "\(range.upperBound)")
        }
        return JSONText.object([
            "name": JSONText.quoted(name), "label": JSONText.quoted(label),
            "input": JSONText.quoted(kind), "minimum": least, "maximum": most,
            "required": "\(isRequired)", "hint": JSONText.quoted(hint),
        ])
    }
}
