// Operation forces @unchecked. A lock guards the body.
/// A launch task that runs a closure.
public final class ClosureTask: LaunchTask, @unchecked Sendable {
    /// Nil once the task has finished.
    private let body: Guarded<(@Sendable (LaunchContext) throws -> Void)?>

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: Where the closure runs.
    ///   - body: The work; an error that it throws becomes the task's. Released when the task has
    ///     finished.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        _ body: @escaping @Sendable (LaunchContext) throws -> Void
    ) {
        self.body = Guarded(body)
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
    ///     when the task has finished.
    public init(name: String, onMain body: @escaping @MainActor (LaunchContext) throws -> Void) {
        self.body = Guarded { context in
            try MainThread.assumeMainActor(for: name) { try body(context) }
        }
        super.init(name: name, queue: .mainQueue)
    }

    /// Runs the closure.
    public override func main(context: LaunchContext) {
        guard let body = body.withLock({ $0 }) else { return }
        do { try body(context) } catch { finish(with: error) }
    }

    override func becameFinished() {
        super.becameFinished()
        // Released here, with no lock held.
        let released = body.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }
}
