/// In which order all can happen, and what can never happen.
extension LaunchPlan {
    enum Step: Hashable, Sendable {
        case task(Int)
        case opening(Int)
    }

    struct ImpossibleDependency: Equatable, Sendable {
        let task: Int
        let dependency: Int
    }

    func conditions(of step: Step) -> [Condition] {
        switch step {
        case .task(let index): conditions(ofTask: index)
        case .opening(let stage): conditions(ofOpening: stage)
        }
    }

    /// The steps in an order in which each comes after all that it waits for.
    ///
    /// Steps that wait for themselves through others, and those behind them, are left out.
    ///
    /// > Source: A. B. Kahn, "Topological sorting of large networks", CACM 5, 1962.
    func order() -> [Step] {
        let steps =
            tasks.indices.map { Step.task($0) } + stages.indices.map { Step.opening($0) }
        var missing: [Step: Int] = [:]
        var followers: [Step: [Step]] = [:]
        var order: [Step] = []
        for step in steps {
            let conditions = conditions(of: step)
            missing[step] = conditions.count
            if conditions.isEmpty { order.append(step) }
            for condition in conditions { followers[condition.step, default: []].append(step) }
        }
        var next = 0
        while next < order.count {
            for follower in followers[order[next]] ?? [] {
                let left = (missing[follower] ?? 0) - 1
                missing[follower] = left
                if left == 0 { order.append(follower) }
            }
            next += 1
        }
        return order
    }

    /// A dependency that can never be met: what it waits for can start only after its task.
    ///
    /// Stages and the order of the main-queue tasks alone have no cycle, so every cycle holds a
    /// dependency.
    func impossibleDependency() -> ImpossibleDependency? {
        guard tasks.contains(where: { !$0.dependencies.isEmpty }) else { return nil }
        let possible = Set(order())
        guard let stuck = tasks.indices.first(where: { !possible.contains(.task($0)) }) else {
            return nil
        }
        var step = Step.task(stuck)
        var seen: [Step: Int] = [:]
        var path: [Step] = []
        // A step that is stuck waits for one that is stuck, so the walk comes round.
        while seen[step] == nil {
            seen[step] = path.count
            path.append(step)
            let stuckConditions = conditions(of: step).map(\.step).filter { !possible.contains($0) }
            guard let next = stuckConditions.last else { return nil }
            step = next
        }
        let cycle = path[(seen[step] ?? 0)...] + [step]
        for case (.task(let task), .task(let other)) in zip(cycle, cycle.dropFirst())
        where tasks[task].dependencies.contains(other) {
            return ImpossibleDependency(task: task, dependency: other)
        }
        return nil
    }
}

extension LaunchPlan.Condition {
    /// What makes the condition true.
    var step: LaunchPlan.Step {
        switch self {
        case .opened(let stage): .opening(stage)
        case .ran(let task), .finished(let task): .task(task)
        }
    }
}
