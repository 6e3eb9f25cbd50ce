// Operation forces @unchecked. The body and the task stand behind the lock of AsyncWork.
/// A launch task that runs an `async` closure, and finishes when the closure has returned.
///
/// `cancel()` cancels the closure's `Task`; the launch task finishes when the closure has returned.
public final class AsyncClosureTask: LaunchTask, @unchecked Sendable {
    private let work: AsyncWork<@Sendable (LaunchContext) async throws -> Void>

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: Where the closure is started. Its own isolation decides where it runs: write
    ///     `{ @MainActor context in … }` for the main thread. Such a closure needs a free main
    ///     thread, so it does not run while ``TaskWorkflow/startAndWait(context:timeout:)`` waits
    ///     there.
    ///   - body: The work; an error that it throws becomes the task's. Released when it has
    ///     returned, or with the task if it is never started.
    public init(
        name: String,
        queue: LaunchTaskQueue = .concurrentQueue,
        _ body: @escaping @Sendable (LaunchContext) async throws -> Void
    ) {
        work = AsyncWork(body)
        super.init(name: name, queue: queue)
    }

    /// Whether the task continues after ``main(context:)`` has returned: true.
    public override var finishesAsynchronously: Bool { true }

    /// Starts the closure's `Task`.
    public override func main(context: LaunchContext) {
        work.start(for: self) { [self] body in
            try await body(context)
            finish()
        }
    }

    override func startedWithoutMain() {
        work.end()
        super.startedWithoutMain()
    }

    /// Cancels the closure's `Task`.
    public override func didCancel() {
        work.cancel()
    }
}
