// Operation forces @unchecked. The body is a constant; the Swift task stands behind a lock.
/// A launch task that runs an `async` closure, and finishes when that has returned.
///
/// `cancel()` cancels the closure's `Task`; the launch task finishes when the closure has returned.
public final class AsyncClosureTask: LaunchTask, @unchecked Sendable {
    private let body: @Sendable (LaunchContext) async throws -> Void
    private let running = Guarded<Task<Void, Never>?>(nil)

    /// Makes a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: What the timeline and messages call the task.
    ///   - queue: Where the closure is started. Where it runs is its own isolation's concern: write
    ///     `{ @MainActor context in … }` for the main thread. Such a closure runs when the main
    ///     thread is free, and so not while ``TaskWorkflow/startAndWait(context:timeout:)`` waits
    ///     there.
    ///   - body: The work; an error that it throws is the task's. Released with the task.
    public init(
        name: String,
        queue: LaunchTaskQueue = .concurrentQueue,
        _ body: @escaping @Sendable (LaunchContext) async throws -> Void
    ) {
        self.body = body
        super.init(name: name, queue: queue)
    }

    /// Whether the task goes on after ``main(context:)`` has returned: true.
    public override var finishesAsynchronously: Bool { true }

    /// Starts the closure's `Task`.
    public override func main(context: LaunchContext) {
        let task = Task { [self] in
            do {
                try await body(context)
                finish()
            } catch {
                finish(with: error)
            }
            running.withLock { $0 = nil }
        }
        running.withLock { $0 = isFinished ? nil : task }
        if isCancelled { task.cancel() }
    }

    /// Cancels the closure's `Task`.
    public override func didCancel() {
        running.withLock { $0 }?.cancel()
    }
}
