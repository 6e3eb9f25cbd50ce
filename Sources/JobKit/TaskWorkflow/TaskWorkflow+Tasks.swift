import Foundation

extension TaskWorkflow {
    /// Adds a task after all others.
    ///
    /// Traps if the task was started or already belongs to a workflow. While the workflow is
    /// executing, its tasks and callbacks may add more tasks. Adding a task to a finished workflow
    /// traps.
    ///
    /// - Parameter task: The task, which is retained until it was delivered.
    public final func addTask(_ task: LaunchTask) {
        add([task], asGroup: false)
    }

    /// Adds a group of tasks, which must all finish before any later task starts.
    ///
    /// The main thread is free while the workflow waits for the group.
    ///
    /// - Parameter tasks: The tasks of the group. An empty group has no effect.
    public final func addBlockingTasks(_ tasks: [LaunchTask]) {
        add(tasks, asGroup: true)
    }

    /// Adds a gate, for which all tasks that are added later wait.
    ///
    /// Their stages still apply.
    ///
    /// - Parameter name: The name to pass to ``openGate(_:)``. Gates of the same name open
    ///   together.
    public final func addGate(_ name: String) {
        launch.addGate(name)
    }

    /// Opens a gate, for example when the first screen has appeared.
    ///
    /// Opens the gates of that name that have been added so far, even before the start. A gate that
    /// is added later stays closed.
    public final func openGate(_ name: String) {
        launch.openGate(name)
    }

    private func add(_ tasks: [LaunchTask], asGroup: Bool) {
        for task in tasks { claim(task) }
        launch.add(tasks, tasks.map(track), asGroup: asGroup)
        // A task that has finished earlier, because it was cancelled, had no number then.
        for task in tasks where task.isFinished { launch.taskFinished(task) }
        // A task without dependents closes no cycle.
        if launch.isLaunched,
            tasks.contains(where: { $0.hooks.withLock { $0.subscribers.hasDependents } })
        {
            refuseImpossibleDependencies()
        }
    }

    private func claim(_ task: LaunchTask) {
        if let owner = task.claim(for: launch) {
            refuse(task, "belongs to \(owner === launch ? "it" : "another workflow") already")
        }
        if task.currentLifecycle.contains(.started) { refuse(task, "has been started") }
    }

    private func refuse(_ task: LaunchTask, _ reason: String) -> Never {
        fatalError("JobKit: \(task.label) was added to \(label), but it \(reason).")
    }

    private func track(_ task: LaunchTask) -> TaskRecord {
        let completion = TaskCompletion<LaunchTask> { [weak self] task in
            guard let self else { return }
            taskFinished(task)
            launch.taskDelivered(task)
        }
        let record = TaskRecord(
            task,
            shell: shell,
            terms: TaskTerms(),
            queue: task.queue == .mainQueue ? launch : queue,
            completion: completion.erased
        )
        shell.track(record, task, on: record.queue, group: nil, for: self, isSubmittedLater: true)
        return record
    }

    /// Traps if a dependency between the tasks can never be met.
    func refuseImpossibleDependencies() {
        var dependencies: [Int: [Int]] = [:]
        for task in trackedTasks where !task.isCancelled {
            let others = task.dependencies.compactMap { launch.number(of: $0) }
            if !others.isEmpty, let number = launch.number(of: task) {
                dependencies[number] = others
            }
        }
        guard let (task, other) = launch.impossibleDependency(among: dependencies) else { return }
        fatalError(
            "JobKit: \(label) can never finish: \(task) depends on \(other), "
                + "which can start only after \(task)."
        )
    }
}
