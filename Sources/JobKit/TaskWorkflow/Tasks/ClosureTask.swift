// Operation forces @unchecked. Only the thread that starts the task touches the body.
/// A launch task that runs a closure.
public final class ClosureTask: LaunchTask, @unchecked Sendable {
    private var body: (@Sendable (LaunchContext) throws -> Void)?

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: The queue on which the closure runs.
    ///   - body: The work. If it throws an error, the task fails with that error. It is released
    ///     when the task has finished.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        _ body: @escaping @Sendable (LaunchContext) throws -> Void
    ) {
        self.body = body
        super.init(name: name, queue: queue)
    }

    /// Creates a main-queue task that runs a closure on the main actor.
    ///
    /// ```swift
    /// workflow.addTask(ClosureTask(name: "Window", onMain: { _ in window.makeKeyAndVisible() }))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - body: The work, on the main thread. If it throws an error, the task fails with that
    ///     error. It is released when the task has finished.
    public convenience init(
        name: String,
        onMain body: @escaping @MainActor (LaunchContext) throws -> Void
    ) {
        self.init(name: name, queue: .mainQueue) { context in
            try MainThread.assumeMainActor(for: name) { try body(context) }
        }
    }

    /// Runs the closure.
    public override func main(context: LaunchContext) {
        do { try body.take()?(context) } catch { finish(with: error) }
    }

    override func releaseBody() { body = nil }
}
