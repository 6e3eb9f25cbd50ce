import Foundation

extension JobController {
    /// Has the job wait for a task that somebody else starts.
    ///
    /// The task is delivered exactly once, also if it has finished already. The job retains the
    /// task and the closure until then. Tracking a task that the job has not delivered, the job
    /// itself or a job that waits for it traps, and so does tracking into a job that has finished.
    ///
    /// - Parameters:
    ///   - task: Any operation.
    ///   - group: The task's group; nil: its exact dynamic type.
    ///   - cancellation: What becomes of the task when the job ends before it.
    ///   - weight: The task's share of the job's progress, relative to that of the others; below 0
    ///     traps.
    ///   - completion: Called instead of ``taskFinished(_:)``.
    public final func track<Child: Operation>(
        _ task: Child,
        group: JobGroup? = nil,
        cancellation: ChildCancellation = .cancelAndWait,
        weight: Int64 = 1,
        completion: sending ((Child) -> Void)? = nil
    ) {
        let record = record(of: task, nil, cancellation, weight, completion)
        effects.track(record, task, group: group, for: self)
    }

    /// Has the job wait for a task, and puts it into a queue.
    ///
    /// A task that has finished is delivered and not queued. See
    /// ``track(_:group:cancellation:weight:completion:)`` for what traps.
    ///
    /// - Parameters:
    ///   - task: Any operation that stands in no queue.
    ///   - queue: Where to put it; nil: the job's ``queue``.
    ///   - group: The task's group; nil: its exact dynamic type.
    ///   - cancellation: What becomes of the task when the job ends before it.
    ///   - weight: The task's share of the job's progress, relative to that of the others; below 0
    ///     traps.
    ///   - completion: Called instead of ``taskFinished(_:)``.
    public final func trackAndQueue<Child: Operation>(
        _ task: Child,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: ChildCancellation = .cancelAndWait,
        weight: Int64 = 1,
        completion: sending ((Child) -> Void)? = nil
    ) {
        let record = record(of: task, queue ?? self.queue, cancellation, weight, completion)
        effects.track(record, task, group: group, for: self)
    }

    /// Sets what is called instead of ``taskGroupFinished(_:)`` each time the group has finished.
    ///
    /// The closure is retained until the job has finished; a later one replaces it.
    public final func setCompletion(
        for group: JobGroup,
        _ completion: sending @escaping () -> Void
    ) {
        effects.setCompletion(completion, for: group)
    }

    /// Sets how many of a group's tasks may be in their queues at a time.
    ///
    /// Counts the tasks of ``trackAndQueue(_:on:group:cancellation:weight:completion:)``. The others
    /// wait in the job, in order; a place is free when its task has finished.
    ///
    /// - Parameters:
    ///   - count: The number; below 1 traps.
    ///   - group: The group.
    public final func setMaxConcurrentOperationCount(_ count: Int, for group: JobGroup) {
        guard count > 0 else {
            fatalError(
                "JobKit: maxConcurrentOperationCount of \(group) in \(label) is \(count); "
                    + "it must be at least 1."
            )
        }
        effects.setWidth(count, for: group)
    }

    @inline(__always)
    private func record<Child: Operation>(
        of task: Child,
        _ queue: (any OperationScheduling)?,
        _ cancellation: ChildCancellation,
        _ weight: Int64,
        _ completion: ((Child) -> Void)?
    ) -> TaskRecord {
        guard weight >= 0 else {
            fatalError(
                "JobKit: the weight of \(operationLabel(task)) in \(label) is \(weight), below 0."
            )
        }
        guard let completion else {
            return TaskRecord(
                task,
                effects: effects,
                cancellation: cancellation,
                weight: weight,
                queue: queue
            )
        }
        return RecordWithCompletion(
            task,
            effects: effects,
            cancellation: cancellation,
            weight: weight,
            queue: queue,
            completion: completion
        )
    }
}
