import Foundation
import Synchronization

/// A value behind a lock that whoever comes first may take.
///
/// On Linux a `Mutex` that a thread sleeps for is handed to that thread when it is unlocked, although
/// the thread has yet to be woken: where threads lock it every microsecond, all of them wait for each
/// wake. So a thread first tries for a while, and lets others run in between, before it sleeps.
///
/// The thread sanitizer does not see a `Mutex` being taken inside the standard library, which is not
/// instrumented. The fence shows it the order: each holder reads what the last holder wrote. It costs
/// two plain moves on x86 and arm64.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let fence = Atomic<UInt8>(0)

    /// How often a thread tries before it lets others run: a few microseconds.
    private static var spins: Int { 100 }
    /// How often it lets others run before it sleeps.
    private static var yields: Int { 50 }
    /// How long it looks away between two tries, which take the cache line from the holder.
    private static var loads: Int { 16 }

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if os(Linux)
        if let result = try tryLock(body) { return result }
        for attempt in 0..<(Self.spins + Self.yields) {
            if attempt < Self.spins {
                for _ in 0..<Self.loads { _ = fence.load(ordering: .relaxed) }
            } else {
                sched_yield()
            }
            if let result = try tryLock(body) { return result }
        }
        #endif
        return try mutex.withLock { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }

    @inline(__always)
    private borrowing func tryLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
