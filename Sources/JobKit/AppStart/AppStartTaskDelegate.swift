/// Hears from a start-up task how it ended.
///
/// Only the first word of a task counts, and only while it is that task's turn.
///
/// > Thread: Any.
public protocol AppStartTaskDelegate: AnyObject, Sendable {
    /// The task has done its work; the next one starts.
    ///
    /// - Parameter task: The task that speaks.
    func startupTaskDidComplete(_ task: any AppStartTask)

    /// The task could not do its work; the chain stops.
    ///
    /// - Parameters:
    ///   - task: The task that speaks.
    ///   - error: What went wrong.
    func startupTaskDidFail(_ task: any AppStartTask, error: any Error)
}
