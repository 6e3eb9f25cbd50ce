// The names in this module that take the place of imported ones. See README.md.
import JobKit
import Scheduler
import Synchronization

typealias Atomic<Value: AtomicRepresentable> = Scheduler.Atomic<Value>
typealias Guarded<Value: ~Copyable> = Scheduler.Guarded<Value>
typealias DispatchQueue = Scheduler.DispatchQueue
typealias DispatchSemaphore = Scheduler.DispatchSemaphore
typealias DispatchTime = Scheduler.DispatchTime

/// No other thread continues in `onCancel`, because the runtime holds a lock.
func withTaskCancellationHandler<Value>(
    operation: () async throws -> Value,
    onCancel handler: @Sendable () -> Void,
    isolation: isolated (any Actor)? = #isolation
) async rethrows -> Value {
    Control.touchRuntime()
    defer { Control.touchRuntime() }
    return try await Swift.withTaskCancellationHandler(
        operation: operation,
        onCancel: { Control.withoutSwitch(handler) },
        isolation: isolation
    )
}
