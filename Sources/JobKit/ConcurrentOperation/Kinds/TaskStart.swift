/// How the Swift task of an operation begins.
enum TaskStart {
    /// On a thread of Swift's.
    case enqueued
    /// The same, but it inherits nothing from the current Swift task.
    case detached
    /// On the calling thread, until the body first suspends.
    ///
    /// Passing a body to another thread takes longer than all the rest of a short operation.
    case atOnce
    /// The same, but it inherits nothing from the current Swift task.
    case detachedAtOnce

    /// Creates a Swift task.
    ///
    /// Before macOS 26 and its relatives, no Swift task begins on the calling thread.
    ///
    /// The priority is a raw value, because the compiler does not know the size of `TaskPriority`.
    func makeTask(
        name: String?,
        priority: TaskPriority.RawValue? = nil,
        executor: (any TaskExecutor)?,
        _ body: @escaping @isolated(any) @Sendable () async -> Void
    ) {
        if self == .atOnce || self == .detachedAtOnce,
            #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
        {
            if self == .atOnce {
                Task.immediate(name: name, operation: body)
            } else {
                Task.immediateDetached(name: name, operation: body)
            }
            return
        }
        let priority = priority.map { TaskPriority(rawValue: $0) }
        if self == .enqueued || self == .atOnce {
            Task(name: name, executorPreference: executor, priority: priority, operation: body)
        } else {
            Task.detached(name: name, priority: priority, operation: body)
        }
    }
}

extension ThreadContext {
    /// How the Swift task of an operation begins that is entering `main()` on this thread.
    ///
    /// If user code or a queue of Foundation has called `start()`, the Swift task is enqueued.
    func taskStart(of operation: ConcurrentOperation) -> TaskStart {
        frame.isOf(operation) ? frame.taskStart : .enqueued
    }

    /// Whether this thread may start another Swift task after the one of `ended`, which ends here.
    ///
    /// A thread inside the start of another operation does not, because such starts would nest. A
    /// worker takes the next operation itself.
    func mayStartTask(after ended: ConcurrentOperation) -> Bool {
        endingTask == ObjectIdentifier(ended) && (frame.operation == nil || frame.isOf(ended))
            && workerQueue == nil && taskExecutor == nil
    }
}

extension UnsafeMutablePointer<ThreadContext> {
    /// How many operations a thread of Swift's starts at once before it lets other Swift tasks run.
    private static var startLimit: Int { 32 }

    /// Finishes an operation whose Swift task ends here, and then starts those that follow it.
    ///
    /// A queue leaves the operation that takes over the permit to this thread. They are started in
    /// a loop, because each may end in the same way inside its start.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - finish: Finishes the operation.
    func endTask(of operation: ConcurrentOperation, _ finish: () -> Void) {
        let isNested = pointee.workerQueue != nil || pointee.frame.operation != nil
        let outer = pointee.endingTask
        pointee.endingTask = ObjectIdentifier(operation)
        finish()
        pointee.endingTask = outer
        guard !isNested else { return }
        var startCount = 0
        while let next = pointee.nextTask.take() {
            startCount += 1
            let startsAtOnce = startCount < Self.startLimit
            next.queue.startTaken(next.operation, next.ticket, atOnce: startsAtOnce)
        }
    }
}
