// Operation forces @unchecked. Only the thread that starts the task, and then the Swift task, touch
// the body.
/// A launch task that runs an `async` closure.
///
/// The launch task finishes when the closure has returned. `cancel()` cancels the closure's Swift
/// task, and the launch task still waits for the closure.
public final class AsyncClosureTask: LaunchTask, @unchecked Sendable {
    private let work = AsyncWork()
    private var body: (@Sendable (LaunchContext) async throws -> Void)?

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: The queue on which the closure is started. The closure's isolation decides where
    ///     it runs: write `{ @MainActor context in … }` for the main thread. Such a closure needs a
    ///     free main thread, so it does not run while
    ///     ``TaskWorkflow/startAndWait(context:timeout:)`` waits there.
    ///   - body: The work. If it throws an error, the task fails with that error. It is released
    ///     when it has returned, or with the task if the task is never started.
    public init(
        name: String,
        queue: LaunchTaskQueue = .concurrentQueue,
        _ body: @escaping @Sendable (LaunchContext) async throws -> Void
    ) {
        self.body = body
        super.init(name: name, queue: queue)
    }

    /// True, because the task continues after ``main(context:)`` has returned.
    public override var finishesAsynchronously: Bool { true }

    /// Starts the closure's Swift task.
    public override func main(context: LaunchContext) {
        work.start(for: self) { [self] in
            work.taskBegan(of: self)
            do {
                try await body?(context)
                work.endTask(of: self) { finish() }
            } catch {
                work.endTask(of: self) { finish(with: error) }
            }
        }
    }

    override func releaseBody() { body = nil }

    /// Cancels the closure's Swift task.
    public override func didCancel() {
        work.cancel()
    }
}
