import Foundation

/// A kind of job whose parameters' type is hidden, so that kinds of many types stand in one list.
struct RegisteredKind: Sendable {
    /// Parameters that were decoded and checked.
    struct Checked: Sendable {
        let json: String
        let title: String
        let makeJob: @Sendable () throws -> PreparedJob
    }

    let name: String
    let fields: [ParameterField]
    let runsAgainAfterCrash: Bool
    private let checking: @Sendable (JSONValue, JobEnvironment) throws -> Checked

    init(_ kind: some JobKind) {
        name = kind.name
        let fields = kind.fields
        self.fields = fields
        runsAgainAfterCrash = kind.runsAgainAfterCrash
        checking = { value, environment in
            try Self.check(value, fields: fields, kind: kind, environment: environment)
        }
    }

    /// Decodes parameters and checks them.
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

    /// Name and fields as JSON.
    var json: String {
        JSONText.object([
            "name": JSONText.quoted(name), "fields": JSONText.array(fields.map(\.json)),
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
        let decoded = try ParameterDecoder.decode(Kind.Parameters.self, from: value)
        let checked = try kind.check(decoded, in: environment)
        return Checked(
            json: try json(of: checked, names: names),
            title: kind.title(of: checked),
            makeJob: { try kind.makeJob(checked, in: environment) }
        )
    }

    /// The parameters with `null` for those that were not given.
    private static func json(of parameters: some Encodable, names: Set<String>) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let value = try JSONParser.value(of: [UInt8](encoder.encode(parameters)))
        var members = value.members ?? [:]
        for name in names where members[name] == nil { members[name] = .null }
        return JSONValue.object(members).json
    }
}
