import Foundation
import Synchronization

/// A value behind a lock without an order: any waiting thread may take it next.
///
/// On Linux, and on Android, a `Mutex` that a thread sleeps for is handed to that thread when it is
/// unlocked, although the thread has yet to be woken: where threads lock it every microsecond, all
/// of them wait for each wake, and none of them ever catches up. So no thread sleeps in the
/// `Mutex`: a thread that finds it held watches a flag for some microseconds, then lets others run,
/// and then sleeps for a while.
///
/// `benchmarks locks` compares them. With Swift 6.3.1 on two cores a locking took 5 ns with either,
/// uncontended; 8 ns against 45 by two threads, and 9 against 22 by eight; the processor time was
/// 17 ns against 90, and 14 against 40.
///
/// The thread sanitizer does not see a `Mutex` being taken inside the standard library, which is
/// not instrumented. The flag shows it the order: each holder reads what the last holder wrote.
@usableFromInline
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    /// 1 while a thread holds the lock, so that others do not ask the kernel for it.
    @usableFromInline let isHeld = Atomic<UInt8>(0)
    @usableFromInline let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    @inlinable @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if os(Linux) || os(Android)
        var backoff = Backoff()
        while true {
            // Its only use: where the body stands twice, what it captures is retained for each.
            if let result = try tryLock(body) { return result }
            backoff.wait()
        }
        #else
        return try mutex.withLock(body)
        #endif
    }

    @inlinable @inline(__always)
    func tryLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard isHeld.load(ordering: .relaxed) == 0 else { return nil }
        return try mutex.withLockIfAvailable { value throws(Failure) in
            _ = isHeld.load(ordering: .acquiring)
            isHeld.store(1, ordering: .relaxed)
            defer { isHeld.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
