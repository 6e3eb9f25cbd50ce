/// The error of a run whose cancelled job had not finished in time.
///
/// The job keeps running: see ``JobController/run(on:stopWithin:)``.
public struct JobDidNotStop: Error, CustomStringConvertible {
    /// What kept the job from finishing: the text of ``JobController/explainStall(limit:)``.
    public let explanation: String

    /// Creates the error with its explanation.
    public init(explanation: String) {
        self.explanation = explanation
    }

    /// The explanation, after a line that says what happened.
    public var description: String {
        "The job was cancelled and did not stop in time.\n\(explanation)"
    }
}
