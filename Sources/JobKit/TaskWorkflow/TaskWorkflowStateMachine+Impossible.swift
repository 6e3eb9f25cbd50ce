/// Finds dependencies that can never be met.
extension TaskWorkflowStateMachine {
    /// Returns a task, and a dependency that can start only after it.
    ///
    /// In a copy of the state machine, each task finishes as soon as it can start. If tasks remain,
    /// each of them waits for another one, so some wait for each other in a cycle. Stages and the
    /// order of the main-queue tasks alone have no cycle, so every cycle contains a dependency.
    ///
    /// - Parameter dependencies: For each task, the tasks of the workflow that it depends on.
    /// - Returns: The task and its dependency, or nil if all dependencies can be met.
    func impossibleDependency(among dependencies: [Int: [Int]]) -> (task: Int, dependency: Int)? {
        guard !dependencies.isEmpty else { return nil }
        var trial = self
        for gate in gates { _ = trial.gateOpened(gate.name) }
        _ = trial.started()
        var dependents: [Int: [Int]] = [:]
        var unmetCounts: [Int: Int] = [:]
        for (task, others) in dependencies {
            for other in others where tasks[other].progress < .done {
                dependents[other, default: []].append(task)
                unmetCounts[task, default: 0] += 1
            }
        }
        var startable = tasks.indices.filter { trial.isReady($0) }
        while let task = startable.popLast() {
            guard unmetCounts[task, default: 0] == 0, trial.tasks[task].progress < .done else {
                continue
            }
            startable += trial.taskFinished(task, hasFailed: false)
            for dependent in dependents[task] ?? [] {
                unmetCounts[dependent, default: 0] -= 1
                if trial.isReady(dependent) { startable.append(dependent) }
            }
        }
        return trial.cycle(among: dependencies)
    }

    /// Returns a task and its dependency in a cycle of the tasks that are not done.
    private func cycle(among dependencies: [Int: [Int]]) -> (task: Int, dependency: Int)? {
        func unmetDependency(of task: Int) -> Int? {
            dependencies[task]?.first { tasks[$0].progress < .done }
        }
        func obstacle(to task: Int) -> Int? {
            if let dependency = unmetDependency(of: task) { return dependency }
            guard case .tasks(let holders, _) = wait(of: task) else { return nil }
            return holders.first
        }
        guard var task = tasks.indices.first(where: { tasks[$0].progress < .done }) else {
            return nil
        }
        var passed: Set<Int> = []
        while passed.insert(task).inserted, let next = obstacle(to: task) { task = next }
        // This task is in the cycle, because the walk has passed it before.
        while unmetDependency(of: task) == nil, let next = obstacle(to: task) { task = next }
        return unmetDependency(of: task).map { (task, $0) }
    }
}
