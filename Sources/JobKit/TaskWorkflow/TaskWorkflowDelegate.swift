/// Hears when a workflow has finished.
public protocol TaskWorkflowDelegate: AnyObject {
    /// The workflow has finished: its tasks have ended, or it was cancelled.
    ///
    /// Called once, on the main thread, when `state` is ``TaskWorkflow/State/finished``.
    ///
    /// - Parameter workflow: The workflow; its timeline is complete.
    func workflowDidFinish(_ workflow: TaskWorkflow)
}
