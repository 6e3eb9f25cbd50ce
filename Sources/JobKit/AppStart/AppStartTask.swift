/// A step of an app's start that runs alone, such as loading the configuration from a server.
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
/// A main-actor class conforms with `@MainActor AppStartTask`; its manager's
/// ``AppStartTaskManager/callbackQueue`` is then `.main`.
public protocol AppStartTask: AnyObject {
    /// The task's name, for logs.
    var taskName: String { get }

    /// Starts the task, which reports its end exactly once, now or later.
    ///
    /// No other task of the manager starts until the task has reported and this method has
    /// returned.
    ///
    /// - Parameter delegate: Receives the report, on any thread. It belongs to this one start, is
    ///   retained until the report, and may be held strongly or weakly.
    func start(delegate: any AppStartTaskDelegate)
}

/// Receives a start-up task's report of how it ended.
///
/// Only a task's first report counts, and only while it is that task's turn.
///
/// > Thread: Any.
public protocol AppStartTaskDelegate: AnyObject, Sendable {
    /// Reports that the task has done its work; the next one starts.
    ///
    /// - Parameter task: The reporting task.
    func startupTaskDidComplete(_ task: any AppStartTask)

    /// Reports that the task failed; the chain stops.
    ///
    /// - Parameters:
    ///   - task: The reporting task.
    ///   - error: What went wrong.
    func startupTaskDidFail(_ task: any AppStartTask, error: any Error)
}
