// The names in this module that take the place of imported ones. See README.md.
import Dispatch
import JobKit
import Scheduler

typealias Guarded<Value: ~Copyable> = Scheduler.Guarded<Value>
typealias DispatchQueue = Scheduler.DispatchQueue
typealias DispatchSemaphore = Scheduler.DispatchSemaphore
typealias DispatchSpecificKey<Value> = Scheduler.DispatchSpecificKey<Value>
typealias DispatchTime = Scheduler.DispatchTime

func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
    time.later(by: interval)
}

func + (time: DispatchTime, seconds: Double) -> DispatchTime {
    time.later(by: .nanoseconds(Int(seconds * 1_000_000_000)))
}

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
