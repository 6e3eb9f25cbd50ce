import Foundation

/// Tracking tasks that end with a value.
extension JobController {
    // Disfavoured, so that `trackAndQueue(task) { … }` means the completion, which is also called
    // for a task without a value.

    /// Makes the job wait for a task that other code starts, and calls a closure with its value.
    ///
    /// A task that ends without a value, because it was cancelled or because it failed and the job
    /// carries on, goes to ``taskFinished(_:)``. Everything else is as in
    /// ``track(_:group:cancellation:weight:failure:completion:)``. Write the label `onSuccess:`,
    /// because a trailing closure without it is taken for `completion` if that compiles.
    ///
    /// - Parameters:
    ///   - task: A result operation.
    ///   - group: The task's group; nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks; a negative
    ///     weight traps.
    ///   - failure: What a failure of the task means to the job; nil to ask
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value; retained until the task was delivered.
    @_disfavoredOverload
    public final func track<Success: Sendable>(
        _ task: ResultOperation<Success>,
        group: JobGroup? = nil,
        cancellation: ChildCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Success) -> Void
    ) {
        let terms = terms(of: task, cancellation, weight, failure)
        track(task, on: nil, group: group, terms, onSuccess)
    }

    /// Adds a task to a queue, makes the job wait for it, and calls a closure with its value.
    ///
    /// A task that ends without a value, because it was cancelled or because it failed and the job
    /// carries on, goes to ``taskFinished(_:)``. Everything else is as in
    /// ``trackAndQueue(_:on:group:cancellation:weight:failure:completion:)``. Write the label
    /// `onSuccess:`, because a trailing closure without it is taken for `completion` if that
    /// compiles.
    ///
    /// - Parameters:
    ///   - task: A result operation that is in no queue.
    ///   - queue: The queue; nil for the job's ``queue``.
    ///   - group: The task's group; nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks; a negative
    ///     weight traps.
    ///   - failure: What a failure of the task means to the job; nil to ask
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value; retained until the task was delivered.
    @_disfavoredOverload
    public final func trackAndQueue<Success: Sendable>(
        _ task: ResultOperation<Success>,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: ChildCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Success) -> Void
    ) {
        let terms = terms(of: task, cancellation, weight, failure)
        track(task, on: queue ?? self.queue, group: group, terms, onSuccess)
    }

    /// Makes the job wait for a nested job that other code starts, and calls a closure with its
    /// value.
    ///
    /// A task that ends without a value, because it was cancelled or because it failed and the job
    /// carries on, goes to ``taskFinished(_:)``. Everything else is as in
    /// ``track(_:group:cancellation:weight:failure:completion:)``. Write the label `onSuccess:`,
    /// because a trailing closure without it is taken for `completion` if that compiles.
    ///
    /// - Parameters:
    ///   - task: A job.
    ///   - group: The task's group; nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks; a negative
    ///     weight traps.
    ///   - failure: What a failure of the task means to the job; nil to ask
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value; retained until the task was delivered.
    @_disfavoredOverload
    public final func track<Success: Sendable>(
        _ task: ResultJob<Success>,
        group: JobGroup? = nil,
        cancellation: ChildCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Success) -> Void
    ) {
        let terms = terms(of: task, cancellation, weight, failure)
        track(task, on: nil, group: group, terms, onSuccess)
    }

    /// Adds a nested job to a queue, makes the job wait for it, and calls a closure with its value.
    ///
    /// A task that ends without a value, because it was cancelled or because it failed and the job
    /// carries on, goes to ``taskFinished(_:)``. Everything else is as in
    /// ``trackAndQueue(_:on:group:cancellation:weight:failure:completion:)``. Write the label
    /// `onSuccess:`, because a trailing closure without it is taken for `completion` if that
    /// compiles.
    ///
    /// - Parameters:
    ///   - task: A job that is in no queue.
    ///   - queue: The queue; nil for the job's ``queue``.
    ///   - group: The task's group; nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks; a negative
    ///     weight traps.
    ///   - failure: What a failure of the task means to the job; nil to ask
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value; retained until the task was delivered.
    @_disfavoredOverload
    public final func trackAndQueue<Success: Sendable>(
        _ task: ResultJob<Success>,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: ChildCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Success) -> Void
    ) {
        let terms = terms(of: task, cancellation, weight, failure)
        track(task, on: queue ?? self.queue, group: group, terms, onSuccess)
    }

    private func track<Child: ValueProducing>(
        _ task: Child,
        on queue: (any OperationScheduling)?,
        group: JobGroup?,
        _ terms: TaskTerms,
        _ onSuccess: @escaping (Child.Success) -> Void
    ) {
        let record = RecordWithValue(
            task,
            shell: shell,
            terms: terms,
            queue: queue,
            onSuccess: onSuccess
        )
        shell.track(record, task, on: queue, group: group, for: self)
    }
}
