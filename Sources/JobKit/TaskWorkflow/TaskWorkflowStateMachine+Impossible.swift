/// Finds dependencies that can never be met.
extension TaskWorkflowStateMachine {
    /// A task, and a dependency that can start only after it.
    typealias ImpossibleDependency = (task: Int, dependency: Int)

    private enum Step: Hashable {
        case task(Int)
        case opening(Int)
    }

    /// Returns the steps for which a step waits.
    private func conditions(of step: Step) -> [Step] {
        switch step {
        case .task(let index):
            let task = tasks[index]
            let others = [task.predecessor].compactMap(\.self) + task.dependencies
            return [.opening(task.stage)] + others.map { .task($0) }
        case .opening(0): return []
        case .opening(let stage):
            let others = stages[stage - 1].tasks.filter { concernsNextStage($0) }
            return [.opening(stage - 1)] + others.map { .task($0) }
        }
    }

    /// Returns a dependency that can start only after the task that waits for it.
    ///
    /// Stages and the order of the main-queue tasks alone have no cycle, so every cycle contains a
    /// dependency. The search is depth first, without recursion.
    func impossibleDependency() -> ImpossibleDependency? {
        guard tasks.contains(where: { !$0.dependencies.isEmpty }) else { return nil }
        // Each step on the path waits for the next one, and for the steps in `left`.
        var path: [(step: Step, left: [Step])] = []
        var isOnPath: [Step: Bool] = [:]
        func enter(_ step: Step) {
            isOnPath[step] = true
            path.append((step, conditions(of: step)))
        }
        for task in tasks.indices where isOnPath[.task(task)] == nil {
            enter(.task(task))
            while let last = path.indices.last {
                guard let next = path[last].left.popLast() else {
                    isOnPath[path.removeLast().step] = false
                    continue
                }
                switch isOnPath[next] {
                case nil: enter(next)
                case false: break
                case true: return dependency(in: path.map(\.step).drop { $0 != next } + [next])
                }
            }
        }
        return nil
    }

    /// Returns the first dependency in a cycle of steps, in which each step waits for the next.
    private func dependency(in cycle: [Step]) -> ImpossibleDependency? {
        for case (.task(let task), .task(let other)) in zip(cycle, cycle.dropFirst())
        where tasks[task].dependencies.contains(other) {
            return (task, other)
        }
        return nil
    }
}
