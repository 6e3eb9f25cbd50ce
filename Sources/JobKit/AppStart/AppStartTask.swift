/// A task that runs alone during an app's start.
///
/// ```swift
/// final class LoadConfiguration: AppStartTask {
///     let taskName = "Load configuration"
///
///     func start(delegate: any AppStartTaskDelegate) {
///         loadFromServer { error in
///             if let error {
///                 delegate.startupTaskDidFail(self, error: error)
///             } else {
///                 delegate.startupTaskDidComplete(self)
///             }
///         }
///     }
/// }
/// ```
///
/// A main-actor class conforms with `@MainActor AppStartTask`. Its manager's
/// ``AppStartTaskManager/callbackQueue`` must then be `.main`.
public protocol AppStartTask: AnyObject {
    /// The task's name, for logs.
    var taskName: String { get }

    /// Starts the task, which must report its end exactly once, now or later.
    ///
    /// No other task of the manager starts until the task has reported and this method has
    /// returned.
    ///
    /// - Parameter delegate: Receives the report, on any thread. It belongs to this start, is
    ///   retained until the report, and may be held strongly or weakly.
    func start(delegate: any AppStartTaskDelegate)
}

/// Receives the report of how a start-up task ended.
///
/// Only a task's first report counts, and only during that task's turn.
///
/// > Thread: Any.
public protocol AppStartTaskDelegate: AnyObject, Sendable {
    /// Reports that the task has completed, so that the next one starts.
    ///
    /// - Parameter task: The reporting task.
    func startupTaskDidComplete(_ task: any AppStartTask)

    /// Reports that the task has failed, so that the chain stops.
    ///
    /// - Parameters:
    ///   - task: The reporting task.
    ///   - error: The reason for the failure.
    func startupTaskDidFail(_ task: any AppStartTask, error: any Error)
}
