/// Follows a chain of start-up tasks.
///
/// A main-actor class conforms with `@MainActor AppStartTaskManagerDelegate`, and sets the
/// manager's ``AppStartTaskManager/callbackQueue`` to `.main`.
///
/// > Thread: The manager's ``AppStartTaskManager/callbackQueue``; without one, the thread on which
/// > the task reported, or on which the chain was started. The methods are called one at a time
/// > without a lock held, and may call every method of the manager.
public protocol AppStartTaskManagerDelegate: AnyObject {
    /// A task has completed; the next one has not started yet, and tasks may still be added.
    ///
    /// - Parameter task: The task. It may be the manager itself, which is its own first task.
    func taskDidComplete(_ task: any AppStartTask)

    /// The queue is empty and the last task has completed.
    func taskManagerDidComplete()

    /// A task has failed, and the chain has stopped after it.
    ///
    /// The remaining tasks stay in the queue. ``AppStartTaskManager/startAllTasks()`` continues
    /// with the next, and may be called here.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: What went wrong, as the task reported it.
    func taskManagerDidFail(_ task: any AppStartTask, error: any Error)
}
