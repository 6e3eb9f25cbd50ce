let workflow = TaskWorkflow(name: "Launch")
@MainActor final class Window {
    func makeKeyAndVisible() {}
}
@MainActor let window = Window()
