import Foundation

/// What JobKit is doing on the current thread.
///
/// An operation that finishes inside its own `start()` is delivered when `start()` has returned, by
/// the thread that called it; everything else that finishes on a thread of the user's is delivered
/// on a thread of JobKit's. This is where a finish learns which of both it is.
final class ThreadContext {
    /// The operation whose `start()` is the innermost on this thread.
    var starting: ObjectIdentifier?
    /// The operation that a ``TaskQueue`` is starting on this thread.
    var startedByWorker: ObjectIdentifier?
    /// The ``TaskQueue`` whose worker this thread is.
    var workerQueue: ObjectIdentifier?

    /// The job that a plain operation, which is being started here, has finished for.
    var foreignMail: JobEffects?
    /// Jobs that have mail because of what this thread does, where it delivers them itself in the end.
    var heldMail: [JobEffects]?
    /// The cancelling of a tree of jobs that is under way.
    var sweep: CancelSweep?
    /// The operation whose `didCancel()` is the innermost on this thread.
    var tellingOfCancel: ObjectIdentifier?

    /// The operation whose readiness is being announced on this thread.
    var announcingReady: ObjectIdentifier?

    /// Notes that `operation` is being started; returns what `starting` is to become afterwards.
    func enter(_ operation: Operation) -> ObjectIdentifier? {
        defer { starting = ObjectIdentifier(operation) }
        return starting
    }

    /// The context of the calling thread; it lives as long as the thread.
    static var current: ThreadContext {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<ThreadContext>.fromOpaque(pointer).takeUnretainedValue()
        }
        let context = ThreadContext()
        pthread_setspecific(key, Unmanaged.passRetained(context).toOpaque())
        return context
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            Unmanaged<ThreadContext>.fromOpaque(pointer).release()
            #else
            pointer.map { Unmanaged<ThreadContext>.fromOpaque($0).release() }
            #endif
        }
        precondition(status == 0, "JobKit: no thread-specific key is left (\(status))")
        return key
    }()
}
