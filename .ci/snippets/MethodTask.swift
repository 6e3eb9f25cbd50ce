// snippet "MethodTask(": body of AppDelegate
@MainActor final class AppDelegate {
    let workflow = TaskWorkflow(name: "Launch")
    func makeWindow() {}
}
