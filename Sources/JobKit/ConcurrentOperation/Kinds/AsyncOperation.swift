import Foundation

// Operation forces @unchecked. The body and the task stand behind the lock of AsyncWork.
/// Runs an `async` closure as an operation.
///
/// `cancel()` cancels the closure's `Task`; the operation finishes when the closure has returned.
public final class AsyncOperation<Success: Sendable>: ResultOperation<Success>, @unchecked Sendable
{
    private let work: AsyncWork<@Sendable () async throws -> Success>
    private let priority: _Concurrency.TaskPriority?

    /// Creates an operation that runs `body` in a `Task` of its own when it is started.
    ///
    /// - Parameters:
    ///   - name: The operation's name, and its `Task`'s when it starts.
    ///   - priority: The priority of its `Task`; nil for that of the thread that starts it.
    ///   - body: The work; its value or error becomes the operation's. Released when it has
    ///     returned, or with the operation if it is never started.
    public init(
        name: String? = nil,
        priority: _Concurrency.TaskPriority? = nil,
        _ body: @escaping @Sendable () async throws -> Success
    ) {
        work = AsyncWork(body)
        self.priority = priority
        super.init()
        self.name = name
    }

    /// Starts the closure's task.
    public override func main() {
        work.start(for: self, priority: priority) { [self] body in
            finish(returning: try await body())
        }
    }

    override var startsTask: Bool { true }

    override func startedWithoutMain() {
        work.end()
        super.startedWithoutMain()
    }

    /// Cancels the closure's task.
    public override func didCancel() {
        work.cancel()
    }
}
