import Foundation
import JobStore

/// A kind of job with a hidden type of parameters, so that one list can hold different kinds.
struct RegisteredKind: Sendable {
    /// Parameters that were decoded and checked.
    struct Checked: Sendable {
        let json: String
        /// The title of the run, at most ``titleLimit`` characters.
        let title: String
        /// The reason why a run with these valid parameters cannot succeed.
        let problem: String?
        let makeJob: @Sendable () throws -> PreparedJob
    }

    /// The longest title, in characters.
    static let titleLimit = 200

    let name: String
    let fields: [ParameterField]
    let runsAgainAfterCrash: Bool
    let timeLimit: Duration?
    let attempts: RunAttempts
    let width: Int?
    let priority: Int
    private let checking: @Sendable (JSONValue, JobEnvironment) throws -> Checked

    init(_ kind: some JobKind) {
        name = kind.name
        let fields = kind.fields
        self.fields = fields
        runsAgainAfterCrash = kind.runsAgainAfterCrash
        (timeLimit, attempts, width, priority) =
            (kind.timeLimit, kind.attempts, kind.width, kind.priority)
        checking = { value, environment in
            try Self.check(value, fields: fields, kind: kind, environment: environment)
        }
    }

    /// Decodes and checks parameters.
    ///
    /// - Throws: ``InvalidParameter``.
    func check(_ value: JSONValue, in environment: JobEnvironment) throws(InvalidParameter)
        -> Checked
    {
        do {
            return try checking(value, environment)
        } catch let error as InvalidParameter {
            throw error
        } catch {
            throw InvalidParameter(nil, "\(error)")
        }
    }

    /// The name and the fields as JSON.
    var json: String {
        JSONText.object([
            "name": JSONText.quoted(name), "priority": "\(priority)",
            "fields": JSONText.array(fields.map(\.json)),
        ])
    }

    private static func check<Kind: JobKind>(
        _ value: JSONValue,
        fields: [ParameterField],
        kind: Kind,
        environment: JobEnvironment
    ) throws -> Checked {
        guard let members = value.members else {
            throw InvalidParameter("parameters", "parameters must be an object.")
        }
        let names = Set(fields.map(\.name))
        if let unknown = members.keys.sorted().first(where: { !names.contains($0) }) {
            throw InvalidParameter(unknown, "\(kind.name) has no parameter of this name.")
        }
        let filled = try settled(members, fields)
        let decoded = try ParameterDecoder.decode(Kind.Parameters.self, from: .object(filled))
        let checked = try kind.check(decoded, in: environment)
        let title = kind.title(of: checked)
        let isLong = title.count > titleLimit
        return Checked(
            json: try json(of: checked, names: names),
            title: isLong ? title.prefix(titleLimit - 1) + "…" : title,
            problem: isLong
                ? "The title has \(title.count) characters, and at most \(titleLimit) are kept."
                : nil,
            makeJob: { try kind.makeJob(checked, in: environment) }
        )
    }

    /// Adds the fields' defaults for missing members, and rejects values that are not a choice.
    private static func settled(
        _ members: [String: JSONValue],
        _ fields: [ParameterField]
    ) throws -> [String: JSONValue] {
        var members = members
        for field in fields {
            let value = members[field.name] ?? .null
            if value == .null {
                members[field.name] = field.defaultValue.map { field.value($0) }
            } else if case .choice(let choices) = field.input {
                guard let text = value.text, choices.contains(where: { Name($0) == Name(text) })
                else {
                    let words = choices.joined(separator: ", ")
                    throw InvalidParameter(field.name, "\(field.name) must be one of \(words).")
                }
            }
        }
        return members
    }

    /// The parameters as JSON, with `null` for missing ones.
    private static func json(of parameters: some Encodable, names: Set<String>) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let value = try JSONParser.value(of: [UInt8](encoder.encode(parameters)))
        var members = value.members ?? [:]
        for name in names where members[name] == nil { members[name] = .null }
        return JSONValue.object(members).json
    }
}
