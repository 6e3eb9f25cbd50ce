import Foundation

/// What JobKit is doing on the current thread.
///
/// An operation that finishes inside its own `start()` is delivered when `start()` has returned, by
/// the thread that called it; everything else that finishes on a thread of the user's is delivered
/// on a thread of JobKit's. This is where a finish learns which of both it is.
struct ThreadContext {
    /// The innermost `start()` on this thread.
    var frame = StartFrame()
    /// The ``TaskQueue`` whose worker this thread is.
    var workerQueue: ObjectIdentifier?
    /// The number in events of the operation that this worker started last and that finished inside
    /// its `start()`; 0 if it has none.
    var lastFinished = 0

    /// Deliveries postponed until the current step of a `StepQueue` ends; nil outside of one.
    var heldDeliveries: [any CallbackDelivery]?
    /// Where Swift tasks go on that operations make on this thread; nil for Swift's own threads.
    var taskExecutor: (any TaskExecutor)?
    /// Whether a Swift task that an operation makes inherits nothing from the one that runs here.
    var detachesTasks = false
    /// The job whose callbacks this thread runs.
    var callbackJob: ObjectIdentifier?
    /// The operation whose `cancel()` a ``CancelSweep`` is calling on this thread.
    var sweepTarget: ObjectIdentifier?
    /// What operations that are being freed on this thread owned; nil unless one is being freed.
    var released: [Operation]?

    /// Plain operations to be asked whether they are ready when Foundation has told them that what
    /// they waited for has finished; nil where no such asking is to come.
    var rechecks: [ReadinessRecheck]?

    /// The operation whose readiness is being announced on this thread.
    var announcingReady: ObjectIdentifier?

    #if canImport(Darwin)
    /// What `isReady` answers while its change is announced, to those who ask for the old value.
    var formerReadiness: (operation: ObjectIdentifier, isReady: Bool)?
    #endif

    /// The context of the calling thread; it lives as long as the thread.
    ///
    /// Not an object: each task asks for it several times, and would count a reference each time.
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
