import Foundation

extension TaskWorkflow {
    /// Adds a task behind all others.
    ///
    /// A task that was started, or that belongs to a workflow already, traps. While the workflow is
    /// executing, its tasks and callbacks may add more; afterwards it traps.
    ///
    /// - Parameter task: The task; retained until it was delivered.
    public final func addTask(_ task: LaunchTask) {
        add([task], asGroup: false)
    }

    /// Adds tasks that all must have finished before any task added later starts.
    ///
    /// The main thread is free while the group is waited for.
    ///
    /// - Parameter tasks: The group; an empty one is nothing.
    public final func addBlockingTasks(_ tasks: [LaunchTask]) {
        add(tasks, asGroup: true)
    }

    /// Adds a gate: the tasks added later wait until it is opened, besides their stages.
    ///
    /// - Parameter name: What ``openGate(_:)`` calls it. Two gates of one name are opened together.
    public final func addGate(_ name: String) {
        launch.addGate(name)
    }

    /// Opens a gate, for example when the first screen has appeared.
    ///
    /// Opens what gates of that name have been added till now, also before the start; where there is
    /// none, it opens nothing, also later.
    public final func openGate(_ name: String) {
        launch.openGate(name)
    }

    private func add(_ tasks: [LaunchTask], asGroup: Bool) {
        for task in tasks { claim(task) }
        let records = tasks.map { task in
            TaskWorkflowEffects.AddedTask(
                task: track(task),
                queue: task.queue,
                name: task.label,
                eventID: task.eventID
            )
        }
        let (indices, actions) = launch.add(records, asGroup: asGroup)
        for (index, task) in zip(indices, tasks) {
            task.place.withLock { $0 = LaunchPlace(effects: launch, index: index) }
            // It may have finished, cancelled, when it did not know its number.
            if task.isFinished { launch.taskFinished(index, task) }
        }
        if launch.isLaunched, tasks.contains(where: { !$0.dependencies.isEmpty }) {
            refuseImpossibleDependencies()
        }
        launch.perform(actions)
    }

    private func claim(_ task: LaunchTask) {
        let owner = task.place.withLock { place -> TaskWorkflowEffects? in
            if let owner = place?.effects { return owner }
            place = LaunchPlace(effects: launch, index: nil)
            return nil
        }
        let reason: String? =
            if let owner {
                "belongs to \(owner === launch ? "it" : "another workflow") already"
            } else if task.currentLifecycle.contains(.started) {
                "has been started"
            } else {
                nil
            }
        guard let reason else { return }
        fatalError("JobKit: \(task.label) was added to \(label), but it \(reason).")
    }

    private func track(_ task: LaunchTask) -> TaskRecord {
        let record = RecordWithCompletion(
            task,
            effects: effects,
            cancellation: .cancelAndWait,
            weight: 1,
            queue: task.queue == .mainQueue ? launch : queue,
            completion: { [weak self, weak task] (_: LaunchTask) in
                guard let self, let task else { return }
                taskFinished(task)
                launch.taskDelivered(task.place.withLock { $0 }?.index)
            }
        )
        effects.track(record, task, group: nil, for: self, isSubmittedLater: true)
        return record
    }

    /// Gives the plan the dependencies between the tasks, and traps if one can never be met.
    func refuseImpossibleDependencies() {
        let tasks = trackedTasks.compactMap { $0 as? LaunchTask }
        let found = tasks.compactMap { task -> (Int, [Int])? in
            guard let index = place(of: task), !task.isCancelled else { return nil }
            return (index, task.dependencies.compactMap { place(of: $0) })
        }
        let (impossible, names) = launch.state.withLock { state in
            for (index, dependencies) in found where !dependencies.isEmpty {
                state.machine.dependenciesFound(dependencies, of: index)
            }
            return (state.machine.plan.impossibleDependency(), state.record.tasks.map(\.name))
        }
        guard let impossible else { return }
        let (task, other) = (names[impossible.task], names[impossible.dependency])
        fatalError(
            "JobKit: \(label) can never finish: \(task) depends on \(other), "
                + "which can start only after \(task)."
        )
    }

    private func place(of operation: Operation) -> Int? {
        guard let task = operation as? LaunchTask, !task.isFinished,
            let place = task.place.withLock({ $0 }), place.effects === launch
        else { return nil }
        return place.index
    }
}
