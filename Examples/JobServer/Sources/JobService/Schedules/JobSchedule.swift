import Foundation

/// Runs that the server submits by itself, every so often or at a time of day.
///
/// ```swift
/// JobSchedule("nightly", kind: "thumbnails", parameters: Album(name: "new"), .daily(hour: 3, in: berlin))
/// ```
///
/// One of its runs runs at a time: while one has not ended, the next waits, and those missed
/// meanwhile are one. So are those that a stopped server has missed: one runs soon after the start.
public struct JobSchedule: Sendable {
    /// When a schedule is due.
    public enum Times: Sendable, Equatable {
        /// So often, counted from the first start of the server that had the schedule.
        case every(Duration)
        /// At a time of day in a time zone; where a day has no such time, at the next there is.
        case daily(hour: Int, minute: Int = 0, in: TimeZone = .current)
    }

    /// The schedule's name; by it, its last time is found again after a restart.
    public let name: String
    /// The kind of job.
    public let kind: String
    /// When it is due.
    public let times: Times
    let parameters: @Sendable () throws -> JSONValue

    /// Makes a schedule; an interval below a second and a time that no day has trap.
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
        self.name = name
        self.kind = kind
        self.times = times
        self.parameters = {
            try JSONParser.value(of: Array(ErrorText.json(parameters).utf8))
        }
    }

    /// When it is due next after a time, both in milliseconds since 1970.
    func next(after time: Int64) -> Int64 {
        switch times {
        case .every(let interval):
            return time + Int64(interval / .milliseconds(1))
        case .daily(let hour, let minute, let zone):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let date = Date(timeIntervalSince1970: Double(time) / 1_000)
            let next = calendar.nextDate(
                after: date,
                matching: DateComponents(hour: hour, minute: minute, second: 0),
                matchingPolicy: .nextTime
            )
            return next.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) }
                ?? time + 86_400_000
        }
    }

    /// The last time that was due by now, if one was since the last one that was taken.
    func due(since last: Int64, by now: Int64) -> Int64? {
        let first = next(after: last)
        guard first <= now else { return nil }
        guard case .every(let interval) = times else {
            var due = first
            // Two years of days at most: a longer pause is one, too.
            for _ in 0..<800 {
                let following = next(after: due)
                guard following <= now, following > due else { break }
                due = following
            }
            return due
        }
        let step = Int64(interval / .milliseconds(1))
        return first + (now - first) / step * step
    }
}
