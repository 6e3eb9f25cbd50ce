import Foundation

/// Tracks tasks that have a value.
extension JobController {
    /// Makes the job wait for a task that other code starts, and calls a closure with its value.
    ///
    /// If the task ends without a value, the job calls ``taskFinished(_:)`` instead. Such a task
    /// was cancelled, or it has failed and the job carries on. Everything else is as in
    /// ``track(_:group:cancellation:weight:failure:completion:)``.
    ///
    /// - Parameters:
    ///   - task: A ``ResultOperation``, a ``ResultJob``, or a ``RetryOperation`` of either.
    ///   - group: The task's group. Nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks. A negative
    ///     weight traps.
    ///   - failure: The job's response to a failure of the task. Nil to call
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value. Retained until the task was delivered.
    public final func track<Child: ValueProducing>(
        _ task: Child,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Child.Success) -> Void
    ) {
        track(task, nil, group, cancellation, weight, failure, orFinished(onSuccess))
    }

    /// Adds a task to a queue, makes the job wait for it, and calls a closure with its value.
    ///
    /// ```swift
    /// let fetch = RetryOperation(policy) { n in AsyncOperation { try await server.fetch(n) } }
    /// trackAndQueue(fetch) { records in self.store(records) }
    /// ```
    ///
    /// If the task ends without a value, the job calls ``taskFinished(_:)`` instead. Such a task
    /// was cancelled, or it has failed and the job carries on. Everything else is as in
    /// ``trackAndQueue(_:on:group:cancellation:weight:failure:completion:)``.
    ///
    /// - Parameters:
    ///   - task: A ``ResultOperation``, a ``ResultJob``, or a ``RetryOperation`` of either, that is
    ///     in no queue.
    ///   - queue: The queue. Nil for the job's ``queue``.
    ///   - group: The task's group. Nil for its exact dynamic type.
    ///   - cancellation: What happens to the task if the job ends first.
    ///   - weight: The task's share of the job's progress, relative to the other tasks. A negative
    ///     weight traps.
    ///   - failure: The job's response to a failure of the task. Nil to call
    ///     ``taskFailed(_:error:)``.
    ///   - onSuccess: Called with the value. Retained until the task was delivered.
    public final func trackAndQueue<Child: ValueProducing>(
        _ task: Child,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        onSuccess: sending @escaping (Child.Success) -> Void
    ) {
        let queue = queue ?? self.queue
        track(task, consume queue, group, cancellation, weight, failure, orFinished(onSuccess))
    }

    /// Calls `onSuccess` with a task's value, or ``taskFinished(_:)`` if there is none.
    ///
    /// Does not retain the job, because the job outlives each call.
    private func orFinished<Child: ValueProducing>(
        _ onSuccess: sending @escaping (Child.Success) -> Void
    ) -> sending (Child) -> Void {
        { [unowned self] task in
            guard case .success(let value) = task.result else { return taskFinished(task) }
            onSuccess(value)
        }
    }
}
