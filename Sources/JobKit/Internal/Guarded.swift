import Foundation
import Synchronization

/// A value behind an unfair lock: any waiting thread may take it next.
///
/// On Linux and Android, unlocking a `Mutex` hands it to a thread that sleeps for it, although that
/// thread has yet to be woken. If threads lock it every microsecond, all of them wait for each
/// wake-up, and none of them ever catches up. Therefore, no thread sleeps in the `Mutex`. A thread
/// that finds it held watches a flag for some microseconds, then lets other threads run, and then
/// sleeps for a while.
///
/// `benchmarks locks` compares both. With Swift 6.3.1 on two cores, one uncontended acquisition
/// took 5 ns with either. It took 8 ns instead of 45 with two threads, and 9 instead of 22 with
/// eight. The processor time was 17 ns instead of 90, and 14 instead of 40.
///
/// The thread sanitizer does not detect the acquisition of a `Mutex` inside the standard library,
/// which is not instrumented. The flag shows it the order, because each holder reads the value that
/// the last holder wrote.
@usableFromInline
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    /// 1 while a thread holds the lock, so that other threads need not ask the kernel for it.
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
            // The only use of `body`. If it were used twice, its captures would be retained for
            // each use.
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
