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
    ///   - task: A ``ResultOperation``, a ``ResultJob``, or a ``RetryOperation`` of either.
    ///   - group: The task's group; nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks; a negative
    ///     weight traps.
    ///   - failure: What a failure of the task means to the job; nil to ask
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value; retained until the task was delivered.
    @_disfavoredOverload
    public final func track<Child: ValueProducing>(
        _ task: Child,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Child.Success) -> Void
    ) {
        track(
            task,
            group: group,
            cancellation: cancellation,
            weight: weight,
            failure: failure,
            completion: orFinished(onSuccess)
        )
    }

    /// Adds a task to a queue, makes the job wait for it, and calls a closure with its value.
    ///
    /// ```swift
    /// let fetch = RetryOperation(policy) { n in AsyncOperation { try await server.fetch(n) } }
    /// trackAndQueue(fetch, onSuccess: { records in self.store(records) })
    /// ```
    ///
    /// A task that ends without a value, because it was cancelled or because it failed and the job
    /// carries on, goes to ``taskFinished(_:)``. Everything else is as in
    /// ``trackAndQueue(_:on:group:cancellation:weight:failure:completion:)``. Write the label
    /// `onSuccess:`, because a trailing closure without it is taken for `completion` if that
    /// compiles.
    ///
    /// - Parameters:
    ///   - task: A ``ResultOperation``, a ``ResultJob``, or a ``RetryOperation`` of either, that is
    ///     in no queue.
    ///   - queue: The queue; nil for the job's ``queue``.
    ///   - group: The task's group; nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks; a negative
    ///     weight traps.
    ///   - failure: What a failure of the task means to the job; nil to ask
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value; retained until the task was delivered.
    @_disfavoredOverload
    public final func trackAndQueue<Child: ValueProducing>(
        _ task: Child,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Child.Success) -> Void
    ) {
        trackAndQueue(
            task,
            on: queue,
            group: group,
            cancellation: cancellation,
            weight: weight,
            failure: failure,
            completion: orFinished(onSuccess)
        )
    }

    /// Calls `onSuccess` with a task's value, or ``taskFinished(_:)`` where there is none.
    ///
    /// Does not retain the job, which outlives each call.
    private func orFinished<Child: ValueProducing>(
        _ onSuccess: sending @escaping (Child.Success) -> Void
    ) -> sending (Child) -> Void {
        { [unowned self] task in
            guard case .success(let value) = task.result else { return taskFinished(task) }
            onSuccess(value)
        }
    }
}
