@MainActor final class Window {
    func alert(_ text: String) {}
}
@MainActor let window = Window()
let decisions = LaunchDecisions<LaunchItem>(priority: [])
