// Operation forces @unchecked. A lock guards the body.
/// A launch task that runs a closure.
public final class ClosureTask: LaunchTask, @unchecked Sendable {
    /// Nil once the task has finished.
    private let body: Guarded<(@Sendable (LaunchContext) throws -> Void)?>

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
        self.body = Guarded(body)
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
        // The body is released here because no lock is held.
        let released = body.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }
}
