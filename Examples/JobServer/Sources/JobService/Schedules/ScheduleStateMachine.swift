/// Decides whether a schedule queues a run.
///
/// Times are milliseconds since 1970.
struct ScheduleStateMachine {
    enum Action: Equatable {
        /// There is nothing to do.
        case wait
        /// Count from this time on.
        case note(Int64)
        /// Queue a run for the latest time that was due.
        case submit(due: Int64)
    }

    /// The largest difference by which a stored time of day may be ahead of the clock.
    ///
    /// A clock that is set back by less does not repeat a run.
    private static let mostAhead: Int64 = 26 * 3_600_000

    let times: JobSchedule.Times

    /// Checks a schedule.
    ///
    /// - Parameters:
    ///   - last: The last due or noted time, or nil.
    ///   - isBusy: Whether a run of it has not ended.
    ///   - isPaused: Whether a person has paused it. Times that are due during a pause are skipped.
    ///   - now: The time.
    /// - Returns: The action to carry out.
    func lookCame(last: Int64?, isBusy: Bool, isPaused: Bool = false, at now: Int64) -> Action {
        guard let last else { return .note(now) }
        switch times {
        // The time was noted while the clock was ahead.
        case .every where last > now: return .note(now)
        case .daily where last > now.addingReportingOverflow(Self.mostAhead).partialValue:
            return .note(now)
        default: break
        }
        guard let due = times.due(since: last, by: now) else { return .wait }
        if isPaused { return .note(due) }
        return isBusy ? .wait : .submit(due: due)
    }
}

extension JobSchedule.Times {
    /// The next due time after a time.
    func next(after time: Int64) -> Int64 {
        switch self {
        case .every(let interval): return time + Self.step(interval)
        case .daily(let hour, let minute, let zone):
            let seconds = Int((Double(time) / 1_000).rounded(.down))
            return Int64(DailyTime(hour: hour, minute: minute, in: zone).next(after: seconds))
                * 1_000
        }
    }

    /// The latest due time up to now, if it is later than the last one.
    func due(since last: Int64, by now: Int64) -> Int64? {
        switch self {
        case .every(let interval):
            let step = Self.step(interval)
            guard now - last >= step else { return nil }
            return last + (now - last) / step * step
        case .daily(let hour, let minute, let zone):
            let seconds = Int((Double(now) / 1_000).rounded(.down))
            let time = DailyTime(hour: hour, minute: minute, in: zone)
            let due = Int64(time.latest(upTo: seconds)) * 1_000
            return due > last ? due : nil
        }
    }

    private static func step(_ interval: Duration) -> Int64 {
        Int64(interval / .milliseconds(1))
    }
}
