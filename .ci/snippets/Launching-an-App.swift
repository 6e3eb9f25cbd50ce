// snippet "onMain:": body of Launch
// snippet "workflow.run(context:": body of Launch
class Step: LaunchTask, @unchecked Sendable {}
final class ReadSettings: Step, @unchecked Sendable {}
final class LoadFonts: Step, @unchecked Sendable {}
final class ShowFirstScreen: Step, @unchecked Sendable {}
enum Database {
    static func open() throws {}
}
@MainActor final class Window {
    func makeKeyAndVisible() {}
}
@MainActor final class Launch {
    let workflow = TaskWorkflow(name: "Launch")
}
@MainActor let window = Window()
