/// A parameter as a field of the form.
public struct ParameterField: Sendable {
    /// The type of the field's value.
    public enum Input: Sendable, Equatable {
        /// One line of text.
        case text
        /// Several lines of text.
        case longText
        /// A number, which may have a fraction.
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
    /// The label in the form.
    public let label: String
    /// The type of the value.
    public let input: Input
    /// Whether a run needs it.
    public let isRequired: Bool
    /// The hint in the form.
    public let hint: String?
    /// The default value as a user would type it, or nil.
    public let defaultValue: String?

    /// Describes a parameter.
    ///
    /// - Parameters:
    ///   - name: The parameter's name, as clients send it.
    ///   - label: The label in the form.
    ///   - input: The type of the value.
    ///   - isRequired: Whether a run needs it.
    ///   - hint: The hint in the form.
    ///   - defaultValue: The default value as a user would type it, or nil.
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

    /// Converts typed text to the value that a client sends.
    ///
    /// If a number is expected and the text is not one, it remains a text, which is rejected later.
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
