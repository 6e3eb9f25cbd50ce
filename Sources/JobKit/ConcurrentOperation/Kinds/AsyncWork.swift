/// The `async` body of an operation, and the Swift task that runs it.
///
/// Not generic, because code of this class then needs no metadata of generic types, each of which
/// takes the runtime hundreds of instructions to find.
final class AsyncWork: Sendable {
    /// Runs the body of an operation, and finishes the operation with ``endTask(of:_:)`` unless the
    /// body throws.
    typealias Run = @Sendable (_ operation: ConcurrentOperation, AsyncWork) async throws -> Void

    private let state: Guarded<(run: Run?, task: RunningTask?)>

    init(_ run: @escaping Run) {
        state = Guarded((run, nil))
    }

    /// Starts the Swift task that runs the body.
    ///
    /// An error of the body becomes the operation's.
    ///
    /// - Parameters:
    ///   - operation: The operation, which is entering `main()`.
    ///   - priority: The priority of the Swift task, or nil for the priority of this thread.
    func start(for operation: ConcurrentOperation, priority: TaskPriority? = nil) {
        guard !operation.isCancelled else { return operation.finish() }
        let context = ThreadContext.current
        let start = priority == nil ? context.pointee.taskStart(of: operation) : .enqueued
        start.makeTask(
            name: operation.name,
            priority: priority,
            executor: context.pointee.taskExecutor
        ) { [self] in
            guard let run = taskBegan(of: operation) else { return operation.finish() }
            do {
                try await run(operation, self)
            } catch {
                endTask(of: operation) { operation.finish(with: error) }
            }
        }
    }

    /// Stores the current Swift task, so that it can be cancelled, and returns the body.
    ///
    /// Called in the Swift task and not by the thread that creates it, because the body may run
    /// before the creating call returns.
    private func taskBegan(of operation: ConcurrentOperation) -> Run? {
        let task = RunningTask.current
        let run = state.withLock { state in
            if state.run != nil { state.task = task }
            return state.run
        }
        // If the operation was cancelled before, `cancel()` found no Swift task.
        if operation.isCancelled { cancel() }
        return run
    }

    /// Finishes the operation, and releases the body.
    func endTask(of operation: ConcurrentOperation, _ finish: () -> Void) {
        ThreadContext.current.endTask(of: operation) {
            finish()
            end()
        }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Releases the body and the Swift task, with no lock held.
    func end() {
        let released = state.withLock { exchange(&$0, with: (nil, nil)) }
        withExtendedLifetime(released) {}
    }
}

/// A Swift task that any thread may cancel.
struct RunningTask: Sendable {
    // Unsafe because only some members may be called from other tasks. `cancel()` is one of them,
    // and the value retains the task.
    private nonisolated(unsafe) let task: UnsafeCurrentTask

    /// The Swift task that calls this, or nil outside of one.
    static var current: RunningTask? {
        withUnsafeCurrentTask { task in task.map { RunningTask(task: $0) } }
    }

    func cancel() { task.cancel() }
}
