/// Runs a closure that calls back when its work is done.
///
/// ```swift
/// let fetch = CallbackOperation<Data> { done in
///     session.dataTask(with: url) { data, _, error in
///         done(data.map(Result.success) ?? .failure(error ?? URLError(.unknown)))
///     }.resume()
/// }
/// ```
///
/// The first call of `done` counts, and later calls are ignored. It may come from any thread, even
/// before the closure has returned. JobKit cannot stop the work. Therefore, after a cancellation or
/// a timeout, the operation finishes when `done` is called.
///
/// If `done` is released without a call, the operation fails at once with ``CallbackLostError``. If
/// `done` is kept and never called, the operation executes until
/// ``ConcurrentOperation/maximumStopTime`` has passed since it was asked to stop.
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
    ///   - body: Starts the work on a thread of the operation's queue, and arranges that `done` is
    ///     called with a value or an error. It is released when it has returned, or with the
    ///     operation if it is never started. `done` retains the operation. If `done` is
    ///     released without a call, the operation fails on the releasing thread.
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
        guard let body = body.take() else { return }
        let callback = Callback(of: self)
        body { callback.operation.finish($0) }
    }

    override func releaseBody() { body = nil }
}

/// The object that `done` retains.
///
/// Its release shows that no call can follow.
private final class Callback<Success: Sendable>: Sendable {
    let operation: CallbackOperation<Success>

    init(of operation: CallbackOperation<Success>) {
        self.operation = operation
    }

    deinit { operation.finish(with: CallbackLostError(name: operation.label)) }
}
