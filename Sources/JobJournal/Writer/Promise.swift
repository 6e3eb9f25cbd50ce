import Dispatch
import JobKit

/// A value that one thread provides once, and for which others wait.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case empty([@Sendable (Value) -> Void])
        case fulfilled(Value)
    }

    private let state = Guarded(State.empty([]))

    /// Nil until the promise is fulfilled.
    var value: Value? {
        state.withLock { state in
            if case .fulfilled(let value) = state { value } else { nil }
        }
    }

    /// Provides the value, unless the promise is fulfilled already.
    func fulfill(_ value: Value) {
        let waiters = state.withLock { state -> [@Sendable (Value) -> Void] in
            guard case .empty(let waiters) = state else { return [] }
            state = .fulfilled(value)
            return waiters
        }
        for waiter in waiters { waiter(value) }
    }

    func wait() async -> Value {
        await withUnsafeContinuation { continuation in
            whenFulfilled { continuation.resume(returning: $0) }
        }
    }

    /// Waits, and blocks the calling thread in the meantime.
    func waitOnThisThread() -> Value {
        while true {
            if let value { return value }
            let isFulfilled = DispatchSemaphore(value: 0)
            whenFulfilled { _ in isFulfilled.signal() }
            isFulfilled.wait()
        }
    }

    private func whenFulfilled(_ body: @escaping @Sendable (Value) -> Void) {
        let value = state.withLock { state -> Value? in
            switch state {
            case .fulfilled(let value): return value
            case .empty(let waiters):
                state = .empty(waiters + [body])
                return nil
            }
        }
        if let value { body(value) }
    }
}
