import Foundation

/// The state of JobKit on the current thread.
///
/// If an operation finishes inside its own `start()`, the thread that called `start()` delivers it
/// after `start()` has returned. If an operation finishes elsewhere on a user's thread, a thread of
/// JobKit delivers it. The context shows which of the two cases applies.
struct ThreadContext {
    /// The innermost `start()` on this thread.
    var frame = StartFrame()
    /// The ``TaskQueue`` whose worker this thread is.
    var workerQueue: ObjectIdentifier?
    /// Whether this thread is a worker that delivers between two operations.
    ///
    /// It then stores the reports of jobs, and sends them together with its next request to the
    /// queue, so that both need the lock only once.
    var collectsReports = false
    /// The job that is about to run its own code, until the worker reports it.
    var busyJob: ConcurrentOperation?
    /// The job that has nothing to run until one of its tasks finishes, until the worker reports
    /// it.
    var waitingJob: ConcurrentOperation?
    /// The event number of the operation that this worker started last, if it finished inside
    /// `start()`.
    ///
    /// 0 if there is none.
    var lastFinished = 0

    /// Deliveries that wait until the current step of a `StepQueue` ends, or nil outside of a step.
    var heldDeliveries: [any CallbackDelivery]?
    /// The executor of Swift tasks that operations create on this thread, or nil for Swift's own
    /// threads.
    var taskExecutor: (any TaskExecutor)?
    /// The operation whose Swift task is ending on this thread.
    var endingTask: ObjectIdentifier?
    /// The operation that this thread starts when that Swift task has ended.
    var nextTask: (queue: any ContainingQueue, operation: Operation, ticket: TaskQueueTicket)?
    /// Starts the Swift task of a job's own work after `main()` has returned.
    var workAfterMain: (@Sendable () -> Void)?
    /// The job whose callbacks this thread runs.
    var callbackJob: ObjectIdentifier?
    /// The operation whose `cancel()` a ``CancelSweep`` is calling on this thread.
    var sweepTarget: ObjectIdentifier?
    /// The operations owned by operations that are being freed on this thread, or nil unless one
    /// is.
    var released: [Operation]?

    /// The operation whose readiness is being announced on this thread.
    var announcingReady: ObjectIdentifier?

    #if canImport(Darwin)
    /// The old value that `isReady` returns while a change of it is announced.
    var formerReadiness: (operation: ObjectIdentifier, isReady: Bool)?
    #endif

    /// The context of the calling thread, which exists as long as the thread.
    ///
    /// A pointer and not an object, because each task reads it several times and an object would
    /// count references each time.
    static var current: UnsafeMutablePointer<ThreadContext> {
        if let known = pthread_getspecific(key) {
            return known.assumingMemoryBound(to: ThreadContext.self)
        }
        let context = UnsafeMutablePointer<ThreadContext>.allocate(capacity: 1)
        context.initialize(to: ThreadContext())
        pthread_setspecific(key, context)
        return context
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            let context = pointer.assumingMemoryBound(to: ThreadContext.self)
            #else
            guard let context = pointer?.assumingMemoryBound(to: ThreadContext.self) else { return }
            #endif
            context.deinitialize(count: 1)
            context.deallocate()
        }
        precondition(status == 0, "JobKit: no thread-specific key is left (\(status))")
        return key
    }()
}

extension UnsafeMutablePointer<ThreadContext> {
    /// Claims or delivers as a worker that collects the reports of jobs.
    func collectingReports<Result>(_ body: () -> Result) -> Result {
        pointee.collectsReports = true
        defer { pointee.collectsReports = false }
        return body()
    }
}
