/// Follows a chain of start-up tasks.
///
/// > Thread: The one on which the task spoke, or on which the chain was started. One call at a time,
/// > never under a lock, so that each may call every method of the manager.
public protocol AppStartTaskManagerDelegate: AnyObject {
    /// A task has completed; the next one has not started yet, and tasks may still be added.
    ///
    /// - Parameter task: The task; also the manager itself, which is its own first task.
    func taskDidComplete(_ task: any AppStartTask)

    /// The queue is empty and the last task has completed.
    func taskManagerDidComplete()

    /// A task has failed, and the chain has stopped behind it.
    ///
    /// The tasks that did not run stay in the queue:
    /// ``AppStartTaskManager/startAllTasks()`` goes on with the next, also when called here.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: What went wrong, as the task said it.
    func taskManagerDidFail(_ task: any AppStartTask, error: any Error)
}
