import Foundation

// Operation forces @unchecked. Only the thread that starts the operation, and then the Swift task,
// touch the body.
/// Runs an `async` closure as an operation.
///
/// `cancel()` cancels the closure's `Task`. The operation finishes when the closure has returned.
///
/// In a ``TaskQueue``, the closure usually begins on the thread that starts the operation. After
/// its first suspension, it continues on Swift's threads. Elsewhere, it begins there, too.
public final class AsyncOperation<Success: Sendable>: ResultOperation<Success>, @unchecked Sendable
{
    private let work = AsyncWork()
    private var body: (@Sendable () async throws -> Success)?
    private let priority: TaskPriority.RawValue?

    /// Creates an operation that runs `body` in its own `Task` when it is started.
    ///
    /// - Parameters:
    ///   - name: The name of the operation. Its `Task` has the name that the operation has at the
    ///     start.
    ///   - priority: The priority of its `Task`, or nil for the priority of the thread that starts
    ///     it.
    ///   - body: The work. Its value or error becomes the operation's. It is released when it has
    ///     returned, or with the operation if it is never started.
    public init(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable () async throws -> Success
    ) {
        self.body = body
        self.priority = priority?.rawValue
        super.init()
        if let name { self.name = name }
    }

    /// Starts the closure's `Task`.
    public override func main() {
        work.start(for: self, priority: priority) { [self] in
            work.taskBegan(of: self)
            guard let body else { return }
            do {
                let value = try await body()
                work.endTask(of: self) { finish(returning: value) }
            } catch {
                work.endTask(of: self) { finish(with: error) }
            }
        }
    }

    override var startsTask: Bool { true }

    override func releaseBody() { body = nil }

    /// Cancels the closure's `Task`.
    public override func didCancel() {
        work.cancel()
    }
}
