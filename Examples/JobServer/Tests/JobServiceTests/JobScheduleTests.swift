import Foundation
import Testing

@testable import JobService

/// Tests decisions about a schedule, with a clock that is sometimes wrong.
@Suite struct ScheduleStateMachineTests {
    private static let year: Int64 = 365 * 86_400_000
    private static let now: Int64 = 1_790_000_000_000

    private func look(
        _ times: JobSchedule.Times,
        _ last: Int64?,
        _ now: Int64,
        isBusy: Bool = false
    ) -> ScheduleStateMachine.Action {
        ScheduleStateMachine(times: times).lookCame(last: last, isBusy: isBusy, at: now)
    }

    @Test(arguments: [
        JobSchedule.Times.every(.seconds(2)), .daily(hour: 3, in: .gmt),
        .daily(hour: 2, minute: 30, in: TimeZone(identifier: "Europe/Berlin") ?? .gmt),
    ])
    func timeOfAClockThatWasAheadIsNotWaitedFor(_ times: JobSchedule.Times) {
        #expect(look(times, nil, Self.now) == .note(Self.now))
        #expect(look(times, Self.now + Self.year, Self.now) == .note(Self.now))
        // Counted from this time, it is due within a day.
        let next = times.next(after: Self.now)
        #expect(next <= Self.now + 86_400_000)
        #expect(look(times, Self.now, next - 1) == .wait)
        #expect(look(times, Self.now, next) == .submit(due: next))
        #expect(look(times, Self.now, next, isBusy: true) == .wait)
    }

    @Test(arguments: [JobSchedule.Times.every(.seconds(2)), .daily(hour: 3, in: .gmt)])
    func timesThatWereMissedSince1970AreOne(_ times: JobSchedule.Times) {
        guard case .submit(let due) = look(times, 0, Self.now) else {
            Issue.record("nothing is due")
            return
        }
        #expect(due <= Self.now && due > Self.now - 86_400_000)
        #expect(look(times, due, Self.now) == .wait)
    }

    @Test func clockThatIsSetBackByHoursRepeatsNoDay() {
        let times = JobSchedule.Times.daily(hour: 3, in: .gmt)
        let due = times.next(after: Self.now)
        for hours in 1...20 {
            let earlier = due - Int64(hours) * 3_600_000
            #expect(look(times, due, earlier) == .wait)
        }
        #expect(look(times, due, due + 86_400_000) == .submit(due: due + 86_400_000))
    }

    /// Tests each day of some years, in zones whose clocks change in different ways.
    @Test(arguments: [
        ("Europe/Berlin", 2, 30), ("Australia/Lord_Howe", 2, 15), ("America/Santiago", 0, 0),
        ("Africa/Cairo", 0, 30), ("Asia/Beirut", 0, 0), ("America/Havana", 0, 59),
        ("Pacific/Apia", 12, 0), ("America/New_York", 1, 30), ("Asia/Kathmandu", 23, 45),
    ])
    func dailyTimeComesOnceADay(_ name: String, _ hour: Int, _ minute: Int) throws {
        let zone = try #require(TimeZone(identifier: name))
        let times = JobSchedule.Times.daily(hour: hour, minute: minute, in: zone)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        for year in [2011, 2024, 2025, 2026] {
            let start = try #require(
                calendar.date(from: DateComponents(year: year, month: 1, day: 1))
            )
            let end = try #require(
                calendar.date(from: DateComponents(year: year + 1, month: 1, day: 1))
            )
            var moment = Int64(start.timeIntervalSince1970 * 1_000) - 1
            var days: [Date] = []
            while true {
                let next = times.next(after: moment)
                #expect(next > moment)
                #expect(times.due(since: moment, by: next) == next)
                #expect(times.due(since: moment, by: next - 1) == nil)
                let date = Date(timeIntervalSince1970: Double(next) / 1_000)
                guard date < end else { break }
                days.append(calendar.startOfDay(for: date))
                moment = next
            }
            var expected: [Date] = []
            var day = start
            while day < end {
                if calendar.startOfDay(for: day) != expected.last {
                    expected.append(calendar.startOfDay(for: day))
                }
                day = day.addingTimeInterval(3_600)
            }
            #expect(days == expected, "\(name) \(year)")
        }
    }

    @Test func minuteThatIsMissingIsRightAfterTheChange() throws {
        let zone = try #require(TimeZone(identifier: "Australia/Lord_Howe"))
        // 2025-10-05: 02:00 is followed by 02:30, at 15:30 UTC of the 4th.
        let change: Int64 = 1_759_591_800_000
        for minute in [0, 15, 29] {
            let times = JobSchedule.Times.daily(hour: 2, minute: minute, in: zone)
            #expect(times.next(after: change - 3_600_000 * 12) == change)
        }
    }
}

@Suite struct JobScheduleTests {
    private static let day: Int64 = 86_400_000

    private func schedule(_ times: JobSchedule.Times) -> JobSchedule {
        JobSchedule("nightly", kind: "steps", parameters: ["count": 1], times)
    }

    @Test func missedTimesAreOne() {
        let schedule = schedule(.every(.seconds(60)))
        #expect(schedule.times.due(since: 0, by: 59_999) == nil)
        #expect(schedule.times.due(since: 0, by: 60_000) == 60_000)
        #expect(schedule.times.due(since: 0, by: 605_000) == 600_000)
        // If the clock was set back, nothing is due.
        #expect(schedule.times.due(since: 600_000, by: 300_000) == nil)
    }

    @Test func aTimeOfDayIsThatOfItsZoneAlsoWhenTheClocksChange() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let schedule = schedule(.daily(hour: 2, minute: 30, in: berlin))
        // 2026-03-28 00:00 UTC: 02:30 is 01:30 UTC. On the 29th, 02:30 does not exist.
        let saturday: Int64 = 1_774_656_000_000
        let first = schedule.times.next(after: saturday)
        #expect(first == saturday + 5_400_000)
        let second = schedule.times.next(after: first)
        #expect(second > first && second <= first + Self.day)
        // On the 30th, it is 00:30 UTC.
        #expect(schedule.times.next(after: second) == saturday + 2 * Self.day + 1_800_000)
        #expect(
            schedule.times.due(since: saturday, by: saturday + 9 * Self.day) == saturday + 8
                * Self.day
                + 1_800_000
        )
    }

    @Test func attemptsHaveTheirDelaysAndTheLastOneGoesOn() {
        let attempts = RunAttempts(4, delays: [.seconds(1), .seconds(5)])
        #expect(
            (1...4).map { attempts.delay(after: $0) } == [
                .seconds(1), .seconds(5), .seconds(5), nil,
            ]
        )
        #expect(RunAttempts.once.delay(after: 1) == nil)
        #expect(RunAttempts(2, delays: []).delay(after: 1) == .zero)
    }
}
