/// The Swift task that runs the `async` body of an operation.
///
/// Not generic, because code of this type then needs no metadata of generic types, each of which
/// takes the runtime hundreds of instructions to find.
struct AsyncWork: ~Copyable, Sendable {
    private let task = Guarded<RunningTask?>(nil)

    /// Starts the Swift task, or finishes the operation if it was cancelled.
    ///
    /// - Parameters:
    ///   - operation: The operation, which is entering `main()`.
    ///   - priority: The priority of the Swift task, or nil for the priority of this thread.
    ///   - run: Runs the body. It calls ``taskBegan(of:)`` first and ``endTask(of:_:)`` last.
    func start(
        for operation: ConcurrentOperation,
        priority: TaskPriority.RawValue? = nil,
        _ run: @escaping @isolated(any) @Sendable () async -> Void
    ) {
        guard !operation.isCancelled else { return operation.finish() }
        let context = ThreadContext.current
        let start = priority == nil ? context.pointee.taskStart(of: operation) : .enqueued
        start.makeTask(
            name: operation.name,
            priority: priority,
            executor: context.pointee.taskExecutor,
            run
        )
    }

    /// Stores the current Swift task, so that it can be cancelled.
    ///
    /// Called in the Swift task and not by the thread that creates it, because the body may run
    /// before the creating call returns.
    func taskBegan(of operation: ConcurrentOperation) {
        let task = RunningTask.current
        self.task.withLock { $0 = task }
        // If the operation was cancelled before, `cancel()` found no Swift task.
        if operation.isCancelled { task?.cancel() }
    }

    /// Finishes the operation, and releases its body and the Swift task.
    func endTask(of operation: ConcurrentOperation, _ finish: () -> Void) {
        ThreadContext.current.endTask(of: operation) {
            finish()
            operation.releaseBody()
            let released = task.withLock { $0.take() }
            withExtendedLifetime(released) {}
        }
    }

    func cancel() { task.withLock { $0 }?.cancel() }
}

/// A Swift task that any thread may cancel.
///
/// The standard library keeps the size of `UnsafeCurrentTask` open. If this were a struct, the
/// runtime would compute the layout of each type that contains it, and search for it at each use.
final class RunningTask: Sendable {
    // Unsafe because only some members may be called from other tasks. `cancel()` is one of them,
    // and the value retains the task.
    private nonisolated(unsafe) let task: UnsafeCurrentTask

    private init(_ task: UnsafeCurrentTask) { self.task = task }

    /// The Swift task that calls this, or nil outside of one.
    static var current: RunningTask? {
        withUnsafeCurrentTask { task in task.map { RunningTask($0) } }
    }

    func cancel() { task.cancel() }
}
