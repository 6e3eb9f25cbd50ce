import JobKit
import JobService

/// Sample jobs that wait: a number of tasks with a duration in milliseconds.
struct StepsKind: JobKind {
    /// The number, the duration and the faults of the steps.
    struct Parameters: Codable, Sendable {
        /// The number of tasks.
        let count: Int
        /// The duration of each task in milliseconds.
        let milliseconds: Int
        /// How many of them run at a time.
        ///
        /// By default, as many as the server runs.
        let width: Int?
        /// The number of the failing task, from 1.
        let fails: Int?
        /// Whether the steps ignore cancellation.
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

    /// Creates the kind.
    init() {}

    /// Rejects numbers out of the ranges of ``fields``, and a failing step that does not exist.
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

    /// The number and the duration of the steps.
    func title(of parameters: Parameters) -> String {
        let (count, milliseconds) = (parameters.count, parameters.milliseconds)
        let units = [(3_600_000, "h"), (60_000, "min"), (1_000, "s")]
        let unit = units.first { milliseconds > 0 && milliseconds.isMultiple(of: $0.0) }
        let (length, name) = unit ?? (1, "ms")
        return "\(count) step\(count == 1 ? "" : "s") of \(milliseconds / length) \(name)"
    }

    /// Creates the job.
    func makeJob(
        _ parameters: Parameters,
        in environment: JobEnvironment
    ) throws -> PreparedJob {
        PreparedJob(valueOf: StepsJob(parameters, in: environment))
    }
}
