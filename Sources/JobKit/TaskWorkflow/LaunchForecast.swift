/// Replays a recorded launch from its tasks' durations, as it was or with a task made concurrent.
struct LaunchForecast {
    /// When what would happen, since the start, by the numbers of tasks and stages.
    private struct Schedule {
        var began: [Duration]
        var ended: [Duration]
        var opened: [Duration]
        /// The task whose end, or return, a task or an opening waited for longest.
        var causes: [Int?]
        var openingCauses: [Int?]

        init(of plan: LaunchPlan) {
            began = Array(repeating: .zero, count: plan.tasks.count)
            ended = began
            causes = Array(repeating: nil, count: plan.tasks.count)
            opened = Array(repeating: .zero, count: plan.stages.count)
            openingCauses = Array(repeating: nil, count: plan.stages.count)
        }

        /// The first of those that end last.
        var last: Int? {
            ended.indices.max { (ended[$0], $1) < (ended[$1], $0) }
        }

        var total: Duration { ended.max() ?? .zero }
    }

    let plan: LaunchPlan
    let record: LaunchRecord

    /// The tasks of the critical path, first to last.
    func criticalTasks() -> [CriticalLaunchTask] {
        // An order of the plan is one of any plan that waits for less.
        let order = plan.order()
        let schedule = schedule(plan, in: order)
        var path: [Int] = []
        var next = schedule.last
        while let task = next {
            path.append(task)
            next = schedule.causes[task]
        }
        return path.reversed()
            .map { task in
                let isOnMain = plan.tasks[task].queue == .mainQueue
                let total =
                    isOnMain
                    ? self.schedule(plan.withConcurrentTask(task), in: order).total
                    : schedule.total
                return CriticalLaunchTask(
                    name: record.tasks[task].name,
                    duration: duration(task),
                    savingIfConcurrent: max(.zero, schedule.total - total)
                )
            }
    }

    private func schedule(_ plan: LaunchPlan, in order: [LaunchPlan.Step]) -> Schedule {
        var schedule = Schedule(of: plan)
        for step in order {
            var (latest, cause) = (Duration.zero, Int?.none)
            for condition in plan.conditions(of: step) {
                let (instant, task) = met(condition, schedule)
                if instant > latest { (latest, cause) = (instant, task) }
            }
            switch step {
            case .opening(let stage):
                schedule.opened[stage] = latest
                schedule.openingCauses[stage] = cause
            case .task(let task):
                for gate in 0..<plan.tasks[task].gateCount {
                    guard let opening = record.gateOpenings[gate] else { continue }
                    let instant = sinceStart(opening)
                    if instant > latest { (latest, cause) = (instant, nil) }
                }
                schedule.began[task] = latest
                schedule.ended[task] = latest + duration(task)
                schedule.causes[task] = cause
            }
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
            (schedule.opened[stage], schedule.openingCauses[stage])
        case .finished(let task):
            (schedule.ended[task], task)
        case .ran(let task):
            (schedule.began[task] + runtime(task), task)
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
