/// The `async` body of an operation, and the Swift task that runs it.
final class AsyncWork<Body: Sendable>: Sendable {
    private let state: Guarded<(body: Body?, task: Task<Void, Never>?)>

    init(_ body: Body) {
        state = Guarded((body, nil))
    }

    /// Starts the Swift task that runs the body.
    ///
    /// An error of the body becomes the operation's.
    ///
    /// - Parameters:
    ///   - operation: The operation, which is entering `main()`.
    ///   - priority: The priority of the Swift task, or nil for the priority of this thread.
    ///   - run: Runs the body, and finishes the operation unless the body throws.
    func start(
        for operation: ConcurrentOperation,
        priority: TaskPriority? = nil,
        _ run: @escaping @Sendable (Body) async throws -> Void
    ) {
        guard !operation.isCancelled, let body = state.withLock({ $0.body }) else {
            return operation.finish()
        }
        let work: @Sendable () async -> Void = { [self] in
            do {
                try await run(body)
            } catch {
                operation.finish(with: error)
            }
            end()
        }
        let context = ThreadContext.current
        let executor = context.pointee.taskExecutor
        let task =
            context.pointee.detachesTasks
            ? Task.detached(name: operation.name, priority: priority, operation: work)
            : Task(
                name: operation.name,
                executorPreference: executor,
                priority: priority,
                operation: work
            )
        state.withLock { if $0.body != nil { $0.task = task } }
        // If the operation was cancelled before, `cancel()` found no Swift task.
        if operation.isCancelled { task.cancel() }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Releases the body and the Swift task, with no lock held.
    func end() {
        let released = state.withLock { exchange(&$0, with: (nil, nil)) }
        withExtendedLifetime(released) {}
    }
}
