/// Is notified when a workflow has finished.
///
/// The protocol is isolated to the main actor, like an app delegate or a view controller. A
/// conforming class becomes main-actor isolated too, unless it is declared `nonisolated`.
@MainActor public protocol TaskWorkflowDelegate: AnyObject {
    /// The workflow has finished, because its tasks have ended or it was cancelled.
    ///
    /// Called once, on the main thread, when `state` is ``TaskWorkflow/State/finished``.
    ///
    /// - Parameter workflow: The workflow; its timeline is complete.
    func workflowDidFinish(_ workflow: TaskWorkflow)
}
