/// Runs a closure as an operation, on a thread of its queue.
///
/// ```swift
/// let parse = ClosureOperation { try JSONDecoder().decode(Feed.self, from: data) }
/// queue.addOperation(parse)
/// let feed = try await parse.value
/// ```
///
/// Use it for work that blocks or computes. For an `async` closure, use ``AsyncOperation``. For one
/// that calls back, use ``CallbackOperation``.
///
/// A running closure cannot be stopped. Therefore, after a cancellation or a timeout, the operation
/// finishes when the closure has returned, and its value is dropped.
public final class ClosureOperation<Success: Sendable>: ResultOperation<Success>,
    // Operation forces @unchecked. Only the thread that starts the operation touches the closure.
    @unchecked Sendable
{
    private var body: (@Sendable () throws -> Success)?

    /// Creates an operation that runs `body` when it is started.
    ///
    /// - Parameters:
    ///   - name: The operation's name.
    ///   - body: The work. Its value or error becomes the operation's. It is released when it has
    ///     returned, or with the operation if it is never started.
    public init(name: String? = nil, _ body: @escaping @Sendable () throws -> Success) {
        self.body = body
        super.init()
        if let name { self.name = name }
    }

    /// Runs the closure.
    public override func main() {
        if let body = body.take() { finish(Result(catching: body)) }
    }

    override func releaseBody() { body = nil }
}
