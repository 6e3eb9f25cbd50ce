import JobKit
import JobService

/// Jobs that wait, to try things out: so many tasks of so many milliseconds each.
struct StepsKind: JobKind {
    /// How many steps, how long, and what goes wrong.
    struct Parameters: Codable, Sendable {
        /// How many tasks there are.
        let count: Int
        /// How many milliseconds each of them takes.
        let milliseconds: Int
        /// How many of them run at a time; as many as the server runs unless given.
        let width: Int?
        /// The number of the one that fails, from 1.
        let fails: Int?
        /// Whether the steps ignore a cancel.
        let stubborn: Bool?
    }

    /// `steps`.
    let name = "steps"
    /// The parameters.
    let fields = [
        ParameterField("count", "Steps", .integer(0...1_000_000)),
        ParameterField("milliseconds", "Milliseconds each", .integer(0...3_600_000)),
        ParameterField(
            "width",
            "At a time",
            .integer(1...1_000_000),
            isRequired: false,
            hint: "as many as the server runs"
        ),
        ParameterField(
            "fails",
            "Failing step",
            .integer(1...1_000_000),
            isRequired: false,
            hint: "none"
        ),
        ParameterField("stubborn", "Ignores cancel", .flag, isRequired: false),
    ]

    /// Makes the kind.
    init() {}

    /// Refuses numbers beyond those of ``fields``, and a failing step that there is not.
    func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters {
        let values = [
            "count": parameters.count, "milliseconds": parameters.milliseconds,
            "width": parameters.width, "fails": parameters.fails,
        ]
        for field in fields {
            guard case .integer(let range) = field.input, let value = values[field.name] ?? nil
            else { continue }
            guard range.contains(value) else {
                let bounds = "\(range.lowerBound) to \(range.upperBound)"
                throw InvalidParameter(field.name, "\(field.name) must be from \(bounds).")
            }
        }
        if let fails = parameters.fails, fails > parameters.count {
            throw InvalidParameter("fails", "There is no step \(fails).")
        }
        return parameters
    }

    /// How many steps, of how long.
    func title(of parameters: Parameters) -> String {
        let (count, milliseconds) = (parameters.count, parameters.milliseconds)
        return "\(count) step\(count == 1 ? "" : "s") of \(milliseconds) ms"
    }

    /// Makes the job.
    func makeJob(
        _ parameters: Parameters,
        in environment: JobEnvironment
    ) throws -> PreparedJob {
        PreparedJob(valueOf: StepsJob(parameters, in: environment))
    }
}
