/// A job did not go on from a crash as it should.
public struct CrashPointFailed: Error, CustomStringConvertible {
    /// The record, from 1, after which or in which the journal was cut.
    public let point: Int
    /// Whether the cut was in the middle of the record.
    public let isTorn: Bool
    /// The step that ran again; if none did, the one whose record was cut.
    public let key: String?
    /// The outcome of the run that was not interrupted.
    public let expected: String
    /// The outcome of the run on the cut journal, or its error.
    public let found: String

    /// Says where the journal was cut, and what came of it.
    public var description: String {
        let place = isTorn ? "in" : "after"
        let step = key.map { " (\($0))" } ?? ""
        return "Cut \(place) record \(point)\(step): expected \(expected), found \(found)."
    }
}
