/// One step of an app's start that runs alone, such as loading the configuration from a server.
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
public protocol AppStartTask: AnyObject {
    /// What people call the task, for logs.
    var taskName: String { get }

    /// Starts the task, which says exactly once, now or later, how it ended.
    ///
    /// Until then, and until this method has returned, no other task of the manager starts.
    ///
    /// - Parameter delegate: Who is told the end, from any thread. It stands for this one start, is
    ///   kept until the end was told, and may be held strongly or weakly.
    func start(delegate: any AppStartTaskDelegate)
}
