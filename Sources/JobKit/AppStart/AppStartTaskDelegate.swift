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
