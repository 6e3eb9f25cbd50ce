import Foundation

/// A time of day in a time zone, which occurs once on each day.
///
/// If the clocks go forward over it, it is the first moment after the change. If they go back over
/// it, it is the first of the two moments. Times are seconds since 1970.
struct DailyTime {
    private static let day = 86_400

    /// The second of the day on the clocks of the zone.
    let second: Int
    let zone: TimeZone

    init(hour: Int, minute: Int, in zone: TimeZone) {
        second = hour * 3_600 + minute * 60
        self.zone = zone
    }

    /// The next occurrence after a moment.
    func next(after time: Int) -> Int {
        let today = day(of: time)
        // If a zone has crossed the date line, one day may be missing.
        for day in (today - 1)...(today + 3) {
            if let moment = moment(on: day), moment > time { return moment }
        }
        return time + Self.day
    }

    /// The latest occurrence up to a moment.
    func latest(upTo time: Int) -> Int {
        let today = day(of: time)
        for day in ((today - 3)...(today + 1)).reversed() {
            if let moment = moment(on: day), moment <= time { return moment }
        }
        return time
    }

    /// The moment on a day, counted from 1970 on the clocks of the zone.
    ///
    /// It is nil if the zone does not have this day.
    private func moment(on day: Int) -> Int? {
        let wall = day * Self.day + second
        let (before, after) = (offset(at: wall - Self.day), offset(at: wall + Self.day))
        let candidates = [wall - before, wall - after].filter { $0 + offset(at: $0) == wall }
        if let moment = candidates.min() { return moment }
        // The clocks go forward over it between these two moments.
        var (early, late) = (min(wall - before, wall - after), max(wall - before, wall - after))
        let first = offset(at: early)
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if offset(at: middle) == first { early = middle } else { late = middle }
        }
        return self.day(of: late) == day || self.day(of: early) == day ? late : nil
    }

    private func offset(at time: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
    }

    private func day(of time: Int) -> Int {
        let local = time + offset(at: time)
        return local >= 0 ? local / Self.day : (local + 1) / Self.day - 1
    }
}
