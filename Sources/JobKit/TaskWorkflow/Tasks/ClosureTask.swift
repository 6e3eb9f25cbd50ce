// Operation forces @unchecked. The body is a constant.
/// A launch task that runs a closure.
public final class ClosureTask: LaunchTask, @unchecked Sendable {
    private let body: @Sendable (LaunchContext) throws -> Void

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: Where the closure runs.
    ///   - body: The work; an error that it throws becomes the task's. Released with the task.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        _ body: @escaping @Sendable (LaunchContext) throws -> Void
    ) {
        self.body = body
        super.init(name: name, queue: queue)
    }

    /// Creates a main-queue task whose closure runs on the main actor.
    ///
    /// ```swift
    /// workflow.addTask(ClosureTask(name: "Window", onMain: { _ in window.makeKeyAndVisible() }))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - body: The work, on the main thread; an error that it throws becomes the task's. Released
    ///     with the task.
    public init(name: String, onMain body: @escaping @MainActor (LaunchContext) throws -> Void) {
        self.body = { context in
            try MainThread.assumeMainActor(for: name) { try body(context) }
        }
        super.init(name: name, queue: .mainQueue)
    }

    /// Runs the closure.
    public override func main(context: LaunchContext) {
        do { try body(context) } catch { finish(with: error) }
    }
}
