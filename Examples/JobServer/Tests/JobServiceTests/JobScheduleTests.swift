import Foundation
import Testing

@testable import JobService

@Suite struct JobScheduleTests {
    private static let day: Int64 = 86_400_000

    private func schedule(_ times: JobSchedule.Times) -> JobSchedule {
        JobSchedule("nightly", kind: "steps", parameters: ["count": 1], times)
    }

    @Test func missedTimesAreOne() {
        let schedule = schedule(.every(.seconds(60)))
        #expect(schedule.due(since: 0, by: 59_999) == nil)
        #expect(schedule.due(since: 0, by: 60_000) == 60_000)
        #expect(schedule.due(since: 0, by: 605_000) == 600_000)
        // A clock that was set back has nothing due.
        #expect(schedule.due(since: 600_000, by: 300_000) == nil)
    }

    @Test func aTimeOfDayIsThatOfItsZoneAlsoWhenTheClocksChange() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let schedule = schedule(.daily(hour: 2, minute: 30, in: berlin))
        // 2026-03-28 00:00 UTC: 02:30 is 01:30 UTC. On the 29th 02:30 does not exist.
        let saturday: Int64 = 1_774_656_000_000
        let first = schedule.next(after: saturday)
        #expect(first == saturday + 5_400_000)
        let second = schedule.next(after: first)
        #expect(second > first && second <= first + Self.day)
        // On the 30th it is 00:30 UTC.
        #expect(schedule.next(after: second) == saturday + 2 * Self.day + 1_800_000)
        #expect(
            schedule.due(since: saturday, by: saturday + 9 * Self.day) == saturday + 8 * Self.day
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
