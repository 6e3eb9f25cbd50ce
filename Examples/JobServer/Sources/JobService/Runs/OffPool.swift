import Dispatch

/// Runs a slow closure on a Dispatch thread instead of a Swift cooperative thread.
///
/// The closure never blocks. If it may, or if blocked threads must not delay it, use
/// ``onOwnThread(_:)``.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await run(body, on: .global())
}

/// Runs a closure on a thread that no other code can block.
///
/// Jobs and kinds may block all threads of Dispatch's global queues.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await run(body, on: .withOwnThread())
}

private func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value,
    on queue: DispatchQueue
) async -> Value {
    await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: body()) }
    }
}

extension DispatchQueue {
    /// Creates a queue that has its own thread, as every new serial queue does.
    ///
    /// Therefore, it runs even if all threads of the global queues are blocked.
    static func withOwnThread() -> DispatchQueue { DispatchQueue(label: "job-server") }
}
