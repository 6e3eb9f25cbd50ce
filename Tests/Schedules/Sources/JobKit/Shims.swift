// The names in this module that take the place of imported ones. See README.md.
import Dispatch
import Foundation
import Scheduler
import Synchronization

typealias Atomic<Value: AtomicRepresentable> = Scheduler.Atomic<Value>
package typealias Guarded<Value: ~Copyable> = Scheduler.Guarded<Value>
/// The queues of the scheduler.
public typealias DispatchQueue = Scheduler.DispatchQueue
typealias DispatchSemaphore = Scheduler.DispatchSemaphore
typealias DispatchSpecificKey<Value> = Scheduler.DispatchSpecificKey<Value>
typealias DispatchTime = Scheduler.DispatchTime

func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
    time.later(by: interval)
}

func + (time: DispatchTime, seconds: Double) -> DispatchTime {
    let nanoseconds = seconds * 1_000_000_000
    return time.later(by: nanoseconds < 1e18 ? .nanoseconds(Int(nanoseconds)) : .never)
}

enum Thread {
    final class Current {
        var name: String?
    }

    static var current: Current { Current() }
    static var isMainThread: Bool { false }

    static func detachNewThread(_ body: @escaping @Sendable () -> Void) {
        Control.detachDaemon("daemon", body)
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@discardableResult
func sched_yield() -> CInt {
    Control.yield("sched_yield()", 0)
    return 0
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@discardableResult
func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>) -> Int32 {
    guard let now = Control.time(of: clock) else { return Foundation.clock_gettime(clock, time) }
    time.pointee = now
    return 0
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_getcpuclockid(
    _ thread: pthread_t,
    _ clock: UnsafeMutablePointer<clockid_t>
) -> Int32 {
    guard let known = Control.clockOfThread() else {
        return Foundation.pthread_getcpuclockid(thread, clock)
    }
    clock.pointee = known
    return 0
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
