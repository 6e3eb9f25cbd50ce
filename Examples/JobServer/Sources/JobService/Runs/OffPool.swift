import Dispatch

/// Runs a closure that blocks or takes long on a thread of Dispatch's, and not on one of Swift's few.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}
