import Foundation

// Swift tries the form with `onSuccess:` first. If the unlabeled trailing closure of a task that
// has a value does not compile with the value, it compiles with the forms below, because they are
// more specific than those with `completion:`. They throw, so the call is an error, and their
// deprecation message explains how to write it.
//
// Swift cannot infer the type of `nil` for `completion:`, so that has separate forms.

/// Overloads that make the compiler reject or accept certain calls of the tracking methods.
extension JobController {
    /// Rejects an unlabeled closure that receives a task that has a value.
    @available(*, deprecated, message: "label the closure `completion:`, or use the task's value")
    @_disfavoredOverload
    @_documentation(visibility: internal)
    public final func track<Child: ValueProducing>(
        _ task: Child,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        _ completion: sending @escaping (Child) -> Void
    ) throws {
        refuseUnlabeledCompletion(of: task)
    }

    /// Rejects an unlabeled closure that receives a task that has a value.
    @available(*, deprecated, message: "label the closure `completion:`, or use the task's value")
    @_disfavoredOverload
    @_documentation(visibility: internal)
    public final func trackAndQueue<Child: ValueProducing>(
        _ task: Child,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        _ completion: sending @escaping (Child) -> Void
    ) throws {
        refuseUnlabeledCompletion(of: task)
    }

    private func refuseUnlabeledCompletion(of task: Operation) -> Never {
        fatalError(
            "JobKit: \(label) tracks \(operationLabel(task)) with a closure without a label; "
                + "label it `completion:`."
        )
    }

    /// Makes the job wait for a task that other code starts, with `completion: nil`.
    @_documentation(visibility: internal)
    public final func track(
        _ task: Operation,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        completion: Never?
    ) {
        track(task, nil, group, cancellation, weight, failure, nil)
    }

    /// Adds a task to a queue and makes the job wait for it, with `completion: nil`.
    @_documentation(visibility: internal)
    public final func trackAndQueue(
        _ task: Operation,
        on queue: (any OperationScheduling)? = nil,
        group: JobGroup? = nil,
        cancellation: TaskCancellation = .cancelAndWait,
        weight: Int64 = 1,
        failure: FailureResponse? = nil,
        completion: Never?
    ) {
        track(task, queue ?? self.queue, group, cancellation, weight, failure, nil)
    }
}
