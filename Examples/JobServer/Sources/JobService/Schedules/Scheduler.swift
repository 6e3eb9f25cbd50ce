import JobStore
import Logging
import ServiceLifecycle

/// Submits the runs of schedules.
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

    /// Checks a schedule once.
    func look(at schedule: JobSchedule) async {
        guard !runner.isStopping, runner.store.failure == nil else { return }
        let time = now()
        do {
            let known = try await runner.store.schedule(schedule.name)
            let action = ScheduleStateMachine(times: schedule.times)
                .lookCame(
                    last: known?.lastAt,
                    isBusy: known?.isBusy == true,
                    isPaused: known?.isPaused == true,
                    at: time
                )
            switch action {
            case .wait: break
            case .note(let time): try await runner.store.noteTime(of: schedule.name, at: time)
            case .submit(let due): try await submit(schedule, for: due, at: time)
            }
        } catch is StoreFailed {
            // This is tried again when the store works again.
        } catch {
            logger.error(
                "A schedule cannot submit its run",
                metadata: ["schedule": "\(schedule.name)", "error.message": "\(error)"]
            )
            // This time is skipped. The next one may succeed.
            try? await runner.store.noteTime(of: schedule.name, at: time)
        }
    }

    private func submit(_ schedule: JobSchedule, for due: Int64, at time: Int64) async throws {
        let checked = try await Submissions(runner: runner)
            .check(try schedule.parameters(), kind: schedule.kind)
        let new = NewRun(
            kind: schedule.kind,
            title: checked.title,
            parameters: checked.json,
            submittedAt: time,
            priority: runner.kinds[schedule.kind]?.priority ?? 0
        )
        guard let record = try await runner.store.add(new, for: schedule.name, at: due) else {
            return
        }
        logger.info(
            "A schedule submitted a run",
            metadata: ["job.id": "\(record.id)", "schedule": "\(schedule.name)"]
        )
        runner.added(record)
    }
}
