/// Runs a closure that calls back when its work is done, as an operation.
///
/// ```swift
/// let fetch = CallbackOperation<Data> { done in
///     session.dataTask(with: url) { data, _, error in
///         done(data.map(Result.success) ?? .failure(error ?? URLError(.unknown)))
///     }.resume()
/// }
/// ```
///
/// The first call of `done` counts; later ones are ignored. It may come from any thread, even
/// before the closure has returned. JobKit cannot stop the work: after a cancel or an overrun, the
/// operation finishes when `done` is called. If `done` is never called, the operation executes
/// forever. A ``ConcurrentOperation/maximumRuntime`` then cancels the operation, but does not
/// finish it.
public final class CallbackOperation<Success: Sendable>: ResultOperation<Success>,
    // Operation forces @unchecked. Only the thread that starts the operation touches the closure.
    @unchecked Sendable
{
    private var body:
        (@Sendable (@escaping @Sendable (Result<Success, any Error>) -> Void) -> Void)?

    /// Creates an operation that runs `body` when it is started.
    ///
    /// - Parameters:
    ///   - name: The operation's name.
    ///   - body: Starts the work on a thread of the operation's queue, and arranges for `done` to
    ///     be called with a value or an error. Released when it has returned, or with the operation
    ///     if it is never started. `done` retains the operation.
    public init(
        name: String? = nil,
        _ body:
            @escaping @Sendable (
                _ done: @escaping @Sendable (Result<Success, any Error>) -> Void
            ) -> Void
    ) {
        self.body = body
        super.init()
        if let name { self.name = name }
    }

    /// Runs the closure.
    public override func main() {
        if let body = body.take() { body { [self] result in finish(result) } }
    }

    /// Does nothing: the operation finishes when the work calls back.
    public override func didCancel() {}

    override func startedWithoutMain() {
        let released = body.take()
        withExtendedLifetime(released) { super.startedWithoutMain() }
    }
}
