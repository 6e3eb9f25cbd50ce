import Dispatch

/// Runs a blocking or slow closure on a Dispatch thread instead of a Swift cooperative thread.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}
