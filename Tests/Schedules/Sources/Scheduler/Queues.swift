import Dispatch
import Foundation

/// Takes the place of `Dispatch.DispatchQueue`.
///
/// A serial queue that is not empty is a virtual thread. `@unchecked Sendable` because only the
/// thread that holds the baton uses the state during a schedule.
public final class DispatchQueue: @unchecked Sendable {
    private struct Work {
        let body: () -> Void
    }

    package let label: String
    private let isConcurrent: Bool
    private var pending: [Work] = []
    private var isActive = false
    private var schedule = 0
    private let shared = SharedObject()
    private var specifics: [ObjectIdentifier: Any] = [:]
    /// The real queue, for use outside of schedules.
    private let real: Dispatch.DispatchQueue

    package static let main = DispatchQueue(.main)
    private static let concurrent = DispatchQueue(.global(), isConcurrent: true)
    private static let running = ThreadLocal<DispatchQueue>()

    package init(label: String, qos: DispatchQoS = .unspecified) {
        (self.label, isConcurrent) = (label, false)
        real = Dispatch.DispatchQueue(label: label, qos: qos)
    }

    private init(_ real: Dispatch.DispatchQueue, isConcurrent: Bool = false) {
        (label, self.real, self.isConcurrent) = (real.label, real, isConcurrent)
    }

    package static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue {
        concurrent
    }

    /// Runs the iterations one after another.
    package static func concurrentPerform(iterations: Int, execute body: (Int) -> Void) {
        for iteration in 0..<iterations { body(iteration) }
    }

    package func async(execute body: @escaping @Sendable () -> Void) {
        guard let me = VirtualThread.current else { return real.async(execute: body) }
        enqueue(me.schedule, body)
    }

    package func asyncAfter(
        deadline: DispatchTime,
        execute body: @escaping @Sendable () -> Void
    ) {
        guard let me = VirtualThread.current else {
            let delay = deadline.nanoseconds - min(deadline.nanoseconds, Control.nanoseconds)
            return real.asyncAfter(
                deadline: .now() + .nanoseconds(Int(clamping: delay)),
                execute: body
            )
        }
        let schedule = me.schedule
        let now = schedule.time
        schedule.addTimer(after: deadline.nanoseconds - min(now, deadline.nanoseconds)) { [self] in
            enqueue(schedule, body)
        }
    }

    func enqueue(_ schedule: Schedule, _ body: @escaping () -> Void) {
        if isConcurrent {
            schedule.makeThread(label, body)
            return
        }
        if self.schedule != schedule.number {
            // An abandoned schedule may have left work.
            (pending, isActive, self.schedule) = ([], false, schedule.number)
        }
        schedule.access(shared)
        pending.append(Work(body: body))
        guard !isActive else { return }
        isActive = true
        schedule.makeThread(label) { [self] in drain() }
    }

    private func drain() {
        Self.running.value = self
        Control.access(shared)
        while !pending.isEmpty {
            let work = pending.removeFirst()
            work.body()
            Control.access(shared)
        }
        isActive = false
        Self.running.value = nil
    }

    package func setSpecific<Value>(key: DispatchSpecificKey<Value>, value: Value?) {
        specifics[ObjectIdentifier(key)] = value
    }

    package static func getSpecific<Value>(key: DispatchSpecificKey<Value>) -> Value? {
        running.value?.specifics[ObjectIdentifier(key)] as? Value
    }
}

package final class DispatchSpecificKey<Value>: Sendable {
    package init() {}
}

/// A value of each thread of the system.
final class ThreadLocal<Value: AnyObject>: @unchecked Sendable {
    private var key = pthread_key_t()

    init() { pthread_key_create(&key, nil) }

    var value: Value? {
        get {
            pthread_getspecific(key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
        }
        set { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }
}

/// Takes the place of `Dispatch.DispatchTime`.
package struct DispatchTime: Comparable, Sendable {
    let nanoseconds: UInt64
    package var uptimeNanoseconds: UInt64 { nanoseconds }
    package static var distantFuture: DispatchTime { DispatchTime(nanoseconds: .max) }

    package static func now() -> DispatchTime { DispatchTime(nanoseconds: Control.nanoseconds) }

    package func later(by interval: DispatchTimeInterval) -> DispatchTime {
        var delay: UInt64
        switch interval {
        case .seconds(let count): delay = UInt64(max(0, count)) &* 1_000_000_000
        case .milliseconds(let count): delay = UInt64(max(0, count)) &* 1_000_000
        case .microseconds(let count): delay = UInt64(max(0, count)) &* 1_000
        case .nanoseconds(let count): delay = UInt64(max(0, count))
        default: delay = .max
        }
        let (sum, isNever) = nanoseconds.addingReportingOverflow(delay)
        return DispatchTime(nanoseconds: isNever ? .max : sum)
    }

    package static func < (left: DispatchTime, right: DispatchTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

/// Takes the place of `Dispatch.DispatchSemaphore`.
package final class DispatchSemaphore: @unchecked Sendable {
    private var value: Int
    private let shared = SharedObject()
    private let real: Dispatch.DispatchSemaphore

    package init(value: Int) {
        self.value = value
        real = Dispatch.DispatchSemaphore(value: value)
    }

    @discardableResult
    package func signal(file: StaticString = #fileID, line: UInt = #line) -> Int {
        guard let me = Control.thread else { return real.signal() }
        me.schedule.point(me, Site(file, line))
        me.schedule.access(shared)
        value += 1
        return me.schedule.makeFirstReady(waitingFor: self) ? 1 : 0
    }

    package func wait(file: StaticString = #fileID, line: UInt = #line) {
        _ = wait(timeout: .distantFuture, file: file, line: line)
    }

    package func wait(
        timeout: DispatchTime,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DispatchTimeoutResult {
        guard let me = Control.thread else {
            guard timeout < .distantFuture else {
                real.wait()
                return .success
            }
            let delay = timeout.nanoseconds - min(timeout.nanoseconds, Control.nanoseconds)
            return real.wait(timeout: .now() + .nanoseconds(Int(clamping: delay)))
        }
        me.schedule.point(me, Site(file, line))
        let schedule = me.schedule
        let timeoutFlag = Flag()
        if timeout < .distantFuture, value == 0 {
            let delay = timeout.nanoseconds - min(timeout.nanoseconds, schedule.time)
            schedule.addTimer(after: delay) { timeoutFlag.isSet = true }
        }
        while value == 0 {
            if timeoutFlag.isSet { return .timedOut }
            me.schedule.block(me, on: self, until: { timeoutFlag.isSet })
        }
        me.schedule.access(shared)
        value -= 1
        return .success
    }

    private final class Flag { var isSet = false }
}
