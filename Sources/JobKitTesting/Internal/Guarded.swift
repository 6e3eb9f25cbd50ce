import Synchronization

/// A value behind a lock that the thread sanitizer understands.
///
/// On Linux a contended `Mutex` is taken and given back inside the standard library, which is not
/// instrumented, so the sanitizer misses the order that it gives and reports races where there are
/// none. The fence shows it: the holder reads what the last holder wrote.
struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let fence = Atomic<UInt8>(0)

    init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    borrowing func withLock<Result: ~Copyable>(
        _ body: (inout sending Value) -> sending Result
    ) -> sending Result {
        mutex.withLock { value in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(0, ordering: .releasing) }
            return body(&value)
        }
    }
}
