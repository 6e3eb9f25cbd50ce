/// How much shorter a launch would be with one of its main-queue tasks made concurrent.
///
/// A launch takes as long as its longest way through conditions, from the start to a task's end.
/// Without its turn on the main thread, a task lies on other ways: those past it, those through it
/// that its stage and its dependencies leave, and the one that links its neighbours on the main
/// thread. What lies before a step and what behind is worked out once for all of them.
struct LaunchSavings {
    /// From one step to a later one, by their places in the order.
    private struct Way {
        let from: Int
        let to: Int
        let length: Duration
    }

    private let forecast: LaunchForecast
    private let total: Duration
    /// The longest way from a task's beginning to the end of all.
    private var taskTails: [Duration]
    private var openingTails: [Duration]
    /// The longest way from a task's end on, of those that wait for its finish.
    private var tailsBehindFinish: [Duration]
    /// The longest way past each step, by its place.
    private var detours: [Duration]
    private var places: [Int]
    private var successors: [Int?]

    init(_ forecast: LaunchForecast) {
        self.forecast = forecast
        let plan = forecast.plan
        total = plan.tasks.indices.map { forecast.end(of: $0) }.max() ?? .zero
        taskTails = plan.tasks.indices.map { forecast.duration(of: $0) }
        openingTails = Array(repeating: .zero, count: plan.stages.count)
        tailsBehindFinish = Array(repeating: .zero, count: plan.tasks.count)
        detours = Array(repeating: .zero, count: forecast.order.count)
        places = Array(repeating: 0, count: plan.tasks.count)
        successors = Array(repeating: nil, count: plan.tasks.count)
        for (task, next) in zip(plan.mainTasks, plan.mainTasks.dropFirst()) {
            successors[task] = next
        }
        fillTails()
        fillDetours()
    }

    func saving(of task: Int) -> Duration {
        let plan = forecast.plan
        guard plan.tasks[task].queue == .mainQueue else { return .zero }
        var beginning = forecast.gateOpening(before: task)
        for condition in plan.conditions(ofTask: task) {
            if case .ran = condition { continue }
            let met = forecast.beginning(of: condition.step) + forecast.delay(of: condition)
            beginning = max(beginning, met)
        }
        let through = beginning + forecast.duration(of: task) + tailsBehindFinish[task]
        var longest = max(detours[places[task]], through)
        if let before = plan.tasks[task].predecessor, let next = successors[task] {
            let link = LaunchPlan.Condition.ran(before)
            let ran = forecast.beginning(of: link.step) + forecast.delay(of: link)
            longest = max(longest, ran + taskTails[next])
        }
        return max(.zero, total - longest)
    }

    private mutating func fillTails() {
        for step in forecast.order.reversed() {
            let tail = tail(of: step)
            for condition in forecast.plan.conditions(of: step) {
                let longer = forecast.delay(of: condition) + tail
                switch condition {
                case .opened(let stage):
                    openingTails[stage] = max(openingTails[stage], longer)
                case .ran(let task):
                    taskTails[task] = max(taskTails[task], longer)
                case .finished(let task):
                    taskTails[task] = max(taskTails[task], longer)
                    tailsBehindFinish[task] = max(tailsBehindFinish[task], tail)
                }
            }
        }
    }

    private func tail(of step: LaunchPlan.Step) -> Duration {
        switch step {
        case .task(let task): taskTails[task]
        case .opening(let stage): openingTails[stage]
        }
    }

    /// Every way past a step ends before it, begins behind it, or has one condition that spans it.
    private mutating func fillDetours() {
        let order = forecast.order
        var stepPlaces: [LaunchPlan.Step: Int] = [:]
        var before = Duration.zero
        for (place, step) in order.enumerated() {
            stepPlaces[step] = place
            detours[place] = before
            guard case .task(let task) = step else { continue }
            places[task] = place
            before = max(before, forecast.end(of: task))
        }
        var behind = Duration.zero
        for (place, step) in order.enumerated().reversed() {
            detours[place] = max(detours[place], behind)
            var start = Duration.zero
            if case .task(let task) = step { start = forecast.gateOpening(before: task) }
            behind = max(behind, start + tail(of: step))
        }
        var ways: [Way] = []
        for (place, step) in order.enumerated() {
            for condition in forecast.plan.conditions(of: step) {
                guard let from = stepPlaces[condition.step], from + 1 < place else { continue }
                let met = forecast.beginning(of: condition.step) + forecast.delay(of: condition)
                ways.append(Way(from: from, to: place, length: met + tail(of: step)))
            }
        }
        lengthenDetours(ways)
    }

    /// Gives each step the longest way that spans it: the longest comes first and takes all, the
    /// next what is left.
    private mutating func lengthenDetours(_ ways: [Way]) {
        /// The first place from each on that no way has taken.
        var free = Array(0...detours.count)
        func firstFree(from place: Int) -> Int {
            var first = place
            while free[first] != first { first = free[first] }
            var next = place
            while next != first {
                let old = free[next]
                free[next] = first
                next = old
            }
            return first
        }
        for way in ways.sorted(by: { $0.length > $1.length }) {
            var place = firstFree(from: way.from + 1)
            while place < way.to {
                detours[place] = max(detours[place], way.length)
                free[place] = place + 1
                place = firstFree(from: place)
            }
        }
    }
}
