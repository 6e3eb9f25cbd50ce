import Foundation

/// Runs that the server submits by itself, every so often or at a time of day.
///
/// ```swift
/// JobSchedule("nightly", kind: "thumbnails", parameters: Album(name: "new"), .daily(hour: 3, in: berlin))
/// ```
///
/// One of its runs executes at a time, and the runs that follow it count: attempts, resumed runs and
/// repetitions. While one has not ended, the next waits. All times that were missed give one run, and so
/// do those that a stopped server has missed: it starts soon after the server.
///
/// A clock that was wrong for a while delays a schedule by a day at most.
public struct JobSchedule: Sendable {
    /// When a schedule is due.
    public enum Times: Sendable, Equatable {
        /// So often, counted from the first start of the server that had the schedule.
        case every(Duration)
        /// At a time of day in a time zone. If the clocks go forward over it, right after the change.
        case daily(hour: Int, minute: Int = 0, in: TimeZone = .current)
    }

    /// The schedule's name; by it, its last time is found again after a restart.
    public let name: String
    /// The kind of job.
    public let kind: String
    /// When it is due.
    public let times: Times
    let parameters: @Sendable () throws -> JSONValue

    /// Makes a schedule.
    ///
    /// An interval below a second, a time that no day has, and a name with a NUL trap.
    ///
    /// - Parameters:
    ///   - name: Its name, one for each.
    ///   - kind: The kind of job.
    ///   - parameters: The run's parameters, encoded as JSON.
    ///   - times: When it is due.
    public init(
        _ name: String,
        kind: String,
        parameters: some Encodable & Sendable,
        _ times: Times
    ) {
        switch times {
        case .every(let interval):
            precondition(interval >= .seconds(1), "A schedule is due once a second at most")
        case .daily(let hour, let minute, _):
            precondition(0...23 ~= hour && 0...59 ~= minute, "No day has this time")
        }
        precondition(!name.utf8.contains(0), "The name of a schedule has no NUL")
        self.name = name
        self.kind = kind
        self.times = times
        self.parameters = {
            try JSONParser.value(of: Array(ErrorText.json(parameters).utf8))
        }
    }
}
