/// Replays a recorded launch from the durations of its tasks.
///
/// It shows what decided how long the launch took, and what would shorten it.
struct LaunchForecast {
    /// The earliest each task could begin and each stage open, since the workflow's start.
    struct Schedule {
        var beginnings: [Duration]
        var openings: [Duration]
        /// The task that each task waited for longest.
        var causes: [Int?]
        /// The task that each opening waited for longest.
        var openingCauses: [Int?]

        init(of plan: LaunchPlan) {
            beginnings = Array(repeating: .zero, count: plan.tasks.count)
            causes = Array(repeating: nil, count: plan.tasks.count)
            openings = Array(repeating: .zero, count: plan.stages.count)
            openingCauses = Array(repeating: nil, count: plan.stages.count)
        }
    }

    let plan: LaunchPlan
    let order: [LaunchPlan.Step]
    private(set) var schedule: Schedule
    private let record: LaunchRecord
    /// When the first so many gates were all open.
    private let gateOpenings: [Duration]

    init(plan: LaunchPlan, record: LaunchRecord) {
        self.plan = plan
        self.record = record
        order = plan.order()
        schedule = Schedule(of: plan)
        gateOpenings = plan.gates.indices.reduce(into: [.zero]) { openings, gate in
            let opening = record.gateOpenings[gate].flatMap { record.began?.duration(to: $0) }
            openings.append(max(openings[gate], opening ?? .zero))
        }
        fillSchedule()
    }

    /// The tasks of the critical path, first to last.
    func criticalTasks() -> [CriticalLaunchTask] {
        var path: [Int] = []
        // The first of those that end last.
        var next = plan.tasks.indices.max { (end(of: $0), $1) < (end(of: $1), $0) }
        while let task = next {
            path.append(task)
            next = schedule.causes[task]
        }
        let savings = LaunchSavings(self)
        return path.reversed()
            .map { task in
                CriticalLaunchTask(
                    name: record.tasks[task].name,
                    duration: duration(of: task),
                    savingIfConcurrent: savings.saving(of: task)
                )
            }
    }

    private mutating func fillSchedule() {
        for step in order {
            var (latest, cause) = (Duration.zero, Int?.none)
            for condition in plan.conditions(of: step) {
                let (instant, task) = met(condition)
                if instant > latest { (latest, cause) = (instant, task) }
            }
            switch step {
            case .opening(let stage):
                schedule.openings[stage] = latest
                schedule.openingCauses[stage] = cause
            case .task(let task):
                if gateOpening(before: task) > latest {
                    (latest, cause) = (gateOpening(before: task), nil)
                }
                schedule.beginnings[task] = latest
                schedule.causes[task] = cause
            }
        }
    }

    /// When a condition is met, and the task that met it.
    private func met(_ condition: LaunchPlan.Condition) -> (Duration, cause: Int?) {
        let instant = beginning(of: condition.step) + delay(of: condition)
        return switch condition {
        case .opened(let stage): (instant, schedule.openingCauses[stage])
        case .finished(let task), .ran(let task): (instant, task)
        }
    }

    func beginning(of step: LaunchPlan.Step) -> Duration {
        switch step {
        case .task(let task): schedule.beginnings[task]
        case .opening(let stage): schedule.openings[stage]
        }
    }

    func end(of task: Int) -> Duration { schedule.beginnings[task] + duration(of: task) }

    // MARK: What was recorded

    /// How long after its step has begun a condition is met.
    func delay(of condition: LaunchPlan.Condition) -> Duration {
        switch condition {
        case .opened: .zero
        case .finished(let task): duration(of: task)
        case .ran(let task): runtime(of: task)
        }
    }

    func gateOpening(before task: Int) -> Duration { gateOpenings[plan.tasks[task].gateCount] }

    func duration(of task: Int) -> Duration {
        let task = record.tasks[task]
        guard let began = task.began, let ended = task.ended else { return .zero }
        return began.duration(to: ended)
    }

    /// How long the task kept the main thread.
    private func runtime(of task: Int) -> Duration {
        let duration = duration(of: task)
        guard let began = record.tasks[task].began, let ran = record.tasks[task].ran else {
            return duration
        }
        return min(began.duration(to: ran), duration)
    }
}
