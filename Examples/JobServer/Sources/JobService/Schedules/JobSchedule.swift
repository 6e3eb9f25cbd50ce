import Foundation

/// Runs that the server submits by itself, at intervals or at a time of day.
///
/// ```swift
/// JobSchedule("nightly", kind: "thumbnails", parameters: Album(name: "new"), .daily(hour: 3, in: berlin))
/// ```
///
/// Only one run of a schedule executes at a time. Its attempts, resumed runs and repetitions count
/// as the same run. The next run waits until all of them have ended. If several times were missed,
/// they result in a single run. This includes the times that a stopped server has missed, for which
/// a run starts soon after the server.
///
/// A clock that is wrong for a while delays a schedule by at most a day.
public struct JobSchedule: Sendable {
    /// The times of a schedule.
    public enum Times: Sendable, Equatable {
        /// At intervals, counted from the first start of the server with this schedule.
        case every(Duration)
        /// At a time of day in a time zone.
        ///
        /// If the clocks go forward over it, right after the change.
        case daily(hour: Int, minute: Int = 0, in: TimeZone = .current)
    }

    /// The schedule's name, which identifies its last time after a restart.
    public let name: String
    /// The kind of job.
    public let kind: String
    /// The times of the schedule.
    public let times: Times
    let parameters: @Sendable () throws -> JSONValue

    /// Creates a schedule.
    ///
    /// Intervals below a second, invalid times of day, and names with a NUL trap.
    ///
    /// - Parameters:
    ///   - name: Its unique name.
    ///   - kind: The kind of job.
    ///   - parameters: The run's parameters, encoded as JSON.
    ///   - times: The times of the schedule.
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
