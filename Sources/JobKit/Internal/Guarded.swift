import Synchronization

/// A value behind a lock that the thread sanitizer understands.
///
/// On Linux a contended `Mutex` is taken and given back inside the standard library, which is not
/// instrumented, so the sanitizer misses the order that it gives and reports races where there are
/// none. The fence shows it: each holder reads what the last holder wrote. It costs two plain moves
/// on x86 and arm64.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let fence = Atomic<UInt8>(0)

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
