// snippet "workflow.delegate = self": sync of App
class Step: LaunchTask, @unchecked Sendable {}
final class ReadSettings: Step, @unchecked Sendable {}
final class MakeWindow: Step, @unchecked Sendable {}
final class OpenDatabase: Step, @unchecked Sendable {}
final class LoadFonts: Step, @unchecked Sendable {}
final class ShowFirstScreen: Step, @unchecked Sendable {}
@MainActor final class App: TaskWorkflowDelegate {
    func workflowDidFinish(_ workflow: TaskWorkflow) {}
}
