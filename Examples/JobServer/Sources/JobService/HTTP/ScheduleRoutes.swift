import Foundation
import JobStore

/// The routes of schedules, which show the next time and pause a schedule.
struct ScheduleRoutes: Sendable {
    let runner: Runner
    let schedules: [JobSchedule]

    /// All schedules as JSON.
    func list() async throws -> String {
        var items: [String] = []
        for schedule in schedules { items.append(try await json(of: schedule)) }
        return "{\"schedules\":" + JSONText.array(items) + "}"
    }

    /// Pauses or resumes a schedule.
    ///
    /// - Parameters:
    ///   - name: Its name, as in the path.
    ///   - isPaused: Whether it queues no runs.
    /// - Returns: The schedule as JSON.
    /// - Throws: ``HTTPProblem`` if there is no such schedule, or ``StoreFailed``.
    func pause(_ name: Name, _ isPaused: Bool) async throws -> String {
        guard let schedule = schedules.first(where: { Name($0.name) == name }) else {
            throw HTTPProblem.unknownPath
        }
        try await runner.store.pause(schedule.name, isPaused, at: runner.now())
        return try await json(of: schedule)
    }

    private func json(of schedule: JobSchedule) async throws -> String {
        let known = try await runner.store.schedule(schedule.name)
        let now = runner.now()
        let isPaused = known?.isPaused == true
        let next = schedule.times.next(after: min(known?.lastAt ?? now, now))
        return JSONText.object([
            "name": JSONText.quoted(schedule.name), "kind": JSONText.quoted(schedule.kind),
            "nextAt": JSONText.number(isPaused ? nil : max(now, next)),
            "lastAt": JSONText.number(known?.runID == nil ? nil : known?.lastAt),
            "runID": JSONText.number(known?.runID), "isPaused": "\(isPaused)",
        ])
    }
}
