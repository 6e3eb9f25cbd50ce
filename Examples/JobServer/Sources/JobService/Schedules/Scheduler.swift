import JobStore
import Logging
import ServiceLifecycle

/// Submits what schedules ask for.
struct Scheduler: Service {
    let runner: Runner
    let schedules: [JobSchedule]
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()
    /// The time, in milliseconds since 1970.
    var now: @Sendable () -> Int64 = { RunClock.now }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                for schedule in schedules { await look(at: schedule) }
                try await clock.sleep(for: .seconds(schedules.isEmpty ? 3_600 : 1))
            }
        }
    }

    private func look(at schedule: JobSchedule) async {
        guard !runner.isStopping, runner.store.failure == nil else { return }
        do {
            guard let last = try await runner.store.lastTime(of: schedule.name) else {
                _ = try await runner.store.add(nil, for: schedule.name, at: now())
                return
            }
            // A clock that was ahead when the last one was taken delays the next, and no more.
            guard let due = schedule.due(since: min(last.time, now()), by: now()) else { return }
            if let id = last.runID, try await runner.store.detail(id)?.record.state.isEnd == false {
                return
            }
            let checked = try await Submissions(runner: runner)
                .check(try schedule.parameters(), kind: schedule.kind)
            let new = NewRun(
                kind: schedule.kind,
                title: checked.title,
                parameters: checked.json,
                submittedAt: now(),
                priority: runner.kinds[schedule.kind]?.priority ?? 0
            )
            if let record = try await runner.store.add(new, for: schedule.name, at: due) {
                logger.info(
                    "A schedule submitted a run",
                    metadata: ["job.id": "\(record.id)", "schedule": "\(schedule.name)"]
                )
                runner.added(record)
            }
        } catch is StoreFailed {
            // It is tried again when the store is back.
        } catch {
            logger.error(
                "A schedule cannot submit its run",
                metadata: ["schedule": "\(schedule.name)", "error.message": "\(error)"]
            )
            // This time is over; the next one may be good.
            _ = try? await runner.store.add(nil, for: schedule.name, at: now())
        }
    }
}
