import Foundation
import Synchronization

/// A value behind a lock that whoever comes first may take.
///
/// On Linux a `Mutex` that a thread sleeps for is handed to that thread when it is unlocked, although
/// the thread has yet to be woken: where threads lock it every microsecond, all of them wait for each
/// wake. So a thread first watches for the lock to be free, and lets others run in between, before it
/// sleeps for it.
///
/// The thread sanitizer does not see a `Mutex` being taken inside the standard library, which is not
/// instrumented. The flag shows it the order: each holder reads what the last holder wrote.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    /// 1 while a thread holds the lock, so that others do not ask the kernel for it.
    private let isHeld = Atomic<UInt8>(0)

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if os(Linux)
        if isHeld.load(ordering: .relaxed) != 0 { waitUntilLikelyFree() }
        #endif
        return try mutex.withLock { value throws(Failure) in
            _ = isHeld.load(ordering: .acquiring)
            isHeld.store(1, ordering: .relaxed)
            defer { isHeld.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }

    /// Watches for some microseconds, then lets others run, perhaps the holder, before each look.
    @inline(never)
    private borrowing func waitUntilLikelyFree() {
        for _ in 0..<1_000 where isHeld.load(ordering: .relaxed) == 0 { return }
        for _ in 0..<50 where isHeld.load(ordering: .relaxed) != 0 { sched_yield() }
    }
}
