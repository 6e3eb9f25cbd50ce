/// Describes a step to its work.
public struct StepContext: Sendable {
    /// The step's key.
    public let key: String
    /// Whether an earlier session may have begun the step without recording its outcome.
    ///
    /// Then the step may have had its effect. Ask the server, or rely on the ``idempotencyKey``.
    public let mayHaveBegun: Bool

    private let path: StepPath
    private let version: Int
    private let fileKey: FileKey

    /// Identifies the step to the server that it calls, as 32 hexadecimal digits.
    ///
    /// It is the same in all sessions of the job, and it differs for each job, scope, key and
    /// version. After ``JobJournal/JobJournal/remove()``, a new journal of the job creates
    /// different keys.
    public var idempotencyKey: String {
        var bytes = path.bytes
        bytes.append(little: Int64(version))
        return fileKey.digest(.request, bytes).text
    }

    init(_ running: RunningStep, version: Int, with fileKey: FileKey) {
        key = running.step.key
        mayHaveBegun = running.mayHaveBegun
        path = running.step.path
        self.version = version
        self.fileKey = fileKey
    }
}
