import Foundation

extension JobController {
    /// Makes the job wait for a task that other code starts.
    ///
    /// The task is delivered exactly once, even if it has already finished. The job retains the
    /// task and the closure until then. Three mistakes trap: tracking a task again before it was
    /// delivered, tracking the job itself or a job that waits for it, and tracking into a job that
    /// has finished.
    ///
    /// A closure that captures the job creates a retain cycle until the task is delivered or the
    /// job ends. If you never start the job, call `cancel()` or `finish()`, which release the
    /// closures without calling them. Otherwise, the job stays in memory with its tasks, because
    /// JobKit cannot detect that only the job's own closures hold it.
    ///
    /// - Parameters:
    ///   - task: Any operation.
    ///   - group: The task's group. Nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks. A negative
    ///     weight traps.
    ///   - failure: The job's response to a failure of the task. Nil to call
    ///     ``taskFailed(_:error:)``.
    ///   - completion: Called instead of ``taskFinished(_:)``. An unlabeled trailing closure of a
    ///     task that has a value is `onSuccess` instead.
    @_disfavoredOverload
    public final func track<Child: Operation>(
        _ task: Child,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        completion: sending ((Child) -> Void)? = nil
    ) {
        track(task, nil, group, cancellation, weight, failure, consume completion)
    }

    /// Adds a task to a queue and makes the job wait for it.
    ///
    /// If the job has not started, the task is added to its queue when the job starts, in order. A
    /// task that has already finished is delivered without being queued.
    /// ``track(_:group:cancellation:weight:failure:completion:)`` lists the mistakes that trap.
    ///
    /// If you never start the job, and the closure captures it strongly, the job and the task stay
    /// in memory until `cancel()` or `finish()` releases the closure.
    ///
    /// - Parameters:
    ///   - task: Any operation that is in no queue.
    ///   - queue: The queue. Nil for the job's ``queue``.
    ///   - group: The task's group. Nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks. A negative
    ///     weight traps.
    ///   - failure: The job's response to a failure of the task. Nil to call
    ///     ``taskFailed(_:error:)``.
    ///   - completion: Called instead of ``taskFinished(_:)``. An unlabeled trailing closure of a
    ///     task that has a value is `onSuccess` instead.
    @_disfavoredOverload
    public final func trackAndQueue<Child: Operation>(
        _ task: Child,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        completion: sending ((Child) -> Void)? = nil
    ) {
        let queue = queue ?? self.queue
        track(task, consume queue, group, cancellation, weight, failure, consume completion)
    }

    /// Sets a closure that replaces ``taskGroupFinished(_:)`` each time the group has finished.
    ///
    /// The closure is retained until the job has finished, or until a job that was not started is
    /// cancelled or finished. A later closure replaces it. A job that is already ending releases it
    /// at once.
    ///
    /// A group finishes each time it has no unfinished tasks left. This may happen repeatedly if
    /// its tasks are discovered one by one. If the tasks that discover them are in the same group,
    /// it finishes once. A group that never had a task does not finish: continue in
    /// ``allTasksFinished()``.
    public final func setCompletion(
        for group: JobGroup,
        _ completion: sending @escaping () -> Void
    ) {
        // Sent here, and called by only one thread at a time.
        nonisolated(unsafe) let sent = completion
        // The result is released with no lock held.
        _ = shell.send { $0.completionSet({ sent() }, for: group) }
    }

    /// Sets how many of a group's tasks may be in their queues at a time.
    ///
    /// Applies to tasks of ``trackAndQueue(_:on:group:cancellation:weight:failure:completion:)``.
    /// Further tasks wait in the job, in order, until a task of the group finishes.
    ///
    /// - Parameters:
    ///   - count: The number. A number below 1 traps.
    ///   - group: The group.
    public final func setMaxConcurrentOperationCount(_ count: Int, for group: JobGroup) {
        guard count > 0 else {
            fatalError(
                "JobKit: maxConcurrentOperationCount of \(group) in \(label) is \(count); "
                    + "it must be at least 1."
            )
        }
        shell.send { $0.limitChanged(to: count, for: group) }
    }

    /// Tracks a task, and puts it into a queue if there is one.
    final func track<Child: Operation>(
        _ task: Child,
        _ queue: consuming (any OperationScheduling)?,
        _ group: JobGroup?,
        _ cancellation: TaskCancellation,
        _ weight: Int64,
        _ failure: FailureResponse?,
        _ completion: consuming ((Child) -> Void)?
    ) {
        guard weight >= 0 else {
            fatalError(
                "JobKit: the weight of \(operationLabel(task)) in \(label) is \(weight), below 0."
            )
        }
        let terms = TaskTerms(weight: weight, cancellation: cancellation, failure: failure)
        let record = TaskRecord(
            task,
            shell: shell,
            terms: terms,
            queue: consume queue,
            completion: TaskCompletion(body: consume completion).erased
        )
        shell.track(record, task, on: record.queue, group: group, for: self)
    }
}

/// How a task is treated when its job is cancelled, fails, times out or finishes early.
public enum TaskCancellation: Sendable {
    /// The task is cancelled, and the job finishes only after the task has stopped.
    case cancelAndWait
    /// The task is cancelled, but the job does not wait for it.
    case cancelWithoutWaiting
    /// The task is not cancelled, and the job does not wait for it.
    case leaveRunning
}

/// How a job responds to a failed task.
public enum FailureResponse: Sendable {
    /// The job fails with the task's error, cancels its other tasks and waits for them.
    case failJob
    /// The task is delivered like any finished task.
    case carryOn
}
