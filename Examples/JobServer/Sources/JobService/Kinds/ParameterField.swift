/// One parameter as a form shows it.
public struct ParameterField: Sendable {
    /// What a person types.
    public enum Input: Sendable, Equatable {
        /// One line of text.
        case text
        /// Several lines of text.
        case longText
        /// A number, whole or not.
        case decimal(ClosedRange<Double>)
        /// One of these texts.
        case choice([String])
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
    /// What is taken where nothing is given, as a person would type it; nil for nothing.
    public let defaultValue: String?

    /// Describes a parameter.
    ///
    /// - Parameters:
    ///   - name: The parameter's name, as clients send it.
    ///   - label: What the form calls it.
    ///   - input: What a person types.
    ///   - isRequired: Whether a run needs it.
    ///   - hint: What the form says beside it.
    ///   - defaultValue: What is taken where nothing is given, as a person would type it.
    public init(
        _ name: String,
        _ label: String,
        _ input: Input = .text,
        isRequired: Bool = true,
        hint: String? = nil,
        defaultValue: String? = nil
    ) {
        self.name = name
        self.label = label
        self.input = input
        self.isRequired = isRequired
        self.hint = hint
        self.defaultValue = defaultValue
    }

    /// The field as JSON.
    var json: String {
        var (kind, least, most) = ("text", "null", "null")
        var choices: [String] = []
        switch input {
        case .text: break
        case .flag: kind = "flag"
        case .texts: kind = "texts"
        case .longText: kind = "long-text"
        case .choice(let texts): (kind, choices) = ("choice", texts)
        case .decimal(let range):
            (kind, least, most) = ("decimal", "\(range.lowerBound)", "\(range.upperBound)")
        case .integer(let range):
            (kind, least, most) = ("integer", "\(range.lowerBound)", "\(range.upperBound)")
        }
        return JSONText.object([
            "name": JSONText.quoted(name), "label": JSONText.quoted(label),
            "input": JSONText.quoted(kind), "minimum": least, "maximum": most,
            "required": "\(isRequired)", "hint": JSONText.quoted(hint),
            "default": JSONText.quoted(defaultValue),
            "choices": JSONText.array(choices.map { JSONText.quoted($0) }),
        ])
    }

    /// What a person typed as a client sends it; what is no number stays a text, which is refused later.
    func value(_ text: String) -> JSONValue {
        switch input {
        case .text, .longText, .choice: .string(text)
        case .integer: Int64(text).map { .integer($0) } ?? .string(text)
        case .decimal: Double(text).map { .number($0) } ?? .string(text)
        case .flag: .bool(text == "true")
        case .texts:
            .array(
                text.split(separator: ",").map { .string(String($0.trimmed)) }
            )
        }
    }
}
