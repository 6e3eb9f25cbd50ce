/// Replays a recorded launch from its tasks' durations, as it was or with a task made concurrent.
struct LaunchForecast {
    /// When what would happen, since the start.
    private struct Schedule {
        var began: [Int: Duration] = [:]
        var ended: [Int: Duration] = [:]
        var opened: [Int: Duration] = [:]
        /// The task whose end, or return, a task or an opening waited for longest.
        var cause: [LaunchPlan.Step: Int] = [:]

        var last: Int? {
            ended.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }

        var total: Duration { ended.values.max() ?? .zero }
    }

    let plan: LaunchPlan
    let record: LaunchRecord

    /// The tasks of the critical path, first to last.
    func criticalTasks() -> [CriticalLaunchTask] {
        let schedule = schedule(plan)
        var path: [Int] = []
        var next = schedule.last
        while let task = next {
            path.append(task)
            next = schedule.cause[.task(task)]
        }
        return path.reversed()
            .map { task in
                CriticalLaunchTask(
                    name: record.tasks[task].name,
                    duration: duration(task),
                    savingIfConcurrent: max(.zero, schedule.total - total(withConcurrent: task))
                )
            }
    }

    private func total(withConcurrent task: Int) -> Duration {
        guard plan.tasks[task].queue == .mainQueue else { return schedule(plan).total }
        return schedule(plan.withConcurrentTask(task)).total
    }

    private func schedule(_ plan: LaunchPlan) -> Schedule {
        var schedule = Schedule()
        for step in plan.order() {
            var (latest, cause) = (Duration.zero, Int?.none)
            for condition in plan.conditions(of: step) {
                let (instant, task) = met(condition, schedule)
                if instant > latest { (latest, cause) = (instant, task) }
            }
            switch step {
            case .opening(let stage):
                schedule.opened[stage] = latest
            case .task(let task):
                for gate in 0..<plan.tasks[task].gateCount {
                    guard let opening = record.gateOpenings[gate] else { continue }
                    let instant = sinceStart(opening)
                    if instant > latest { (latest, cause) = (instant, nil) }
                }
                schedule.began[task] = latest
                schedule.ended[task] = latest + duration(task)
            }
            schedule.cause[step] = cause
        }
        return schedule
    }

    /// When a condition is met, and the task that met it.
    private func met(
        _ condition: LaunchPlan.Condition,
        _ schedule: Schedule
    ) -> (Duration, cause: Int?) {
        switch condition {
        case .opened(let stage):
            (schedule.opened[stage] ?? .zero, schedule.cause[.opening(stage)])
        case .finished(let task):
            (schedule.ended[task] ?? .zero, task)
        case .ran(let task):
            ((schedule.began[task] ?? .zero) + runtime(task), task)
        }
    }

    private func duration(_ task: Int) -> Duration {
        let task = record.tasks[task]
        guard let began = task.began, let ended = task.ended else { return .zero }
        return began.duration(to: ended)
    }

    /// How long the task kept the main thread.
    private func runtime(_ task: Int) -> Duration {
        guard let began = record.tasks[task].began, let ran = record.tasks[task].ran else {
            return duration(task)
        }
        return min(began.duration(to: ran), duration(task))
    }

    private func sinceStart(_ instant: LaunchRecord.Instant) -> Duration {
        record.began.map { max(.zero, $0.duration(to: instant)) } ?? .zero
    }
}
