import HTTPTypes

/// The body of a submission, with all members checked.
struct SubmissionBody {
    private static let members: Set<String> = ["kind", "parameters", "key", "priority", "runAt"]
    /// The last millisecond of the year 9999.
    private static let latestTime: Int64 = 253_402_300_799_999

    let submission: Submission

    /// Parses a body.
    ///
    /// - Throws: ``HTTPProblem`` with the name of the invalid member.
    init(_ body: JSONValue) throws(HTTPProblem) {
        guard let members = body.members else {
            throw HTTPProblem(.unprocessableContent, "The body must be an object.")
        }
        if let unknown = members.keys.sorted().first(where: { !Self.members.contains($0) }) {
            throw HTTPProblem(
                .badRequest,
                "A submission has no member of this name.",
                field: unknown
            )
        }
        guard let kind = members["kind"]?.text else {
            throw HTTPProblem(.unprocessableContent, "kind must be a text.", field: "kind")
        }
        var parameters = members["parameters"] ?? .null
        if parameters == .null { parameters = .object([:]) }
        submission = Submission(
            kind: kind,
            parameters: parameters,
            key: try Self.key(members["key"] ?? .null),
            priority: try Self.priority(members["priority"] ?? .null),
            runAt: try Self.time(members["runAt"] ?? .null)
        )
    }

    /// The priority, or nil if there is none.
    static func priority(_ value: JSONValue) throws(HTTPProblem) -> Int? {
        switch value {
        case .null: return nil
        case .integer(let number) where Submissions.priorities.contains(Int(number)):
            return Int(number)
        default:
            let range = Submissions.priorities
            throw HTTPProblem(
                .unprocessableContent,
                "priority must be a whole number from \(range.lowerBound) to \(range.upperBound).",
                field: "priority"
            )
        }
    }

    private static func key(_ value: JSONValue) throws(HTTPProblem) -> String? {
        switch value {
        case .null: return nil
        case .string(let text) where 1...1_000 ~= text.utf8.count && !text.utf8.contains(0):
            return text
        default:
            throw HTTPProblem(
                .unprocessableContent,
                "key must be a text of 1 to 1000 bytes without NULs.",
                field: "key"
            )
        }
    }

    private static func time(_ value: JSONValue) throws(HTTPProblem) -> Int64? {
        switch value {
        case .null: return nil
        case .integer(let time) where 0...latestTime ~= time: return time
        default:
            throw HTTPProblem(
                .unprocessableContent,
                "runAt must be a time in milliseconds since 1970.",
                field: "runAt"
            )
        }
    }
}
