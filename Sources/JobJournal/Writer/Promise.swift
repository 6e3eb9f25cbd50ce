import Dispatch
import JobKit

/// The end of a change or of a wait, which one thread reports once, and for which others wait.
///
/// The class is not generic, because the deallocation of a generic one looks up its metadata.
final class Promise: Sendable {
    private enum State {
        case empty([@Sendable ((any Error)?) -> Void])
        case fulfilled((any Error)?)
    }

    private let state = Guarded(State.empty([]))

    /// The error or nil, once the promise is fulfilled.
    var value: (any Error)?? {
        state.withLock { state in
            if case .fulfilled(let error) = state { .some(error) } else { nil }
        }
    }

    /// Reports the end, unless it was reported before.
    func fulfill(_ error: (any Error)? = nil) {
        let waiters = state.withLock { state -> [@Sendable ((any Error)?) -> Void] in
            guard case .empty(let waiters) = state else { return [] }
            state = .fulfilled(error)
            return waiters
        }
        for waiter in waiters { waiter(error) }
    }

    @discardableResult
    func wait() async -> (any Error)? {
        if let value { return value }
        return await withUnsafeContinuation { continuation in
            whenFulfilled { continuation.resume(returning: $0) }
        }
    }

    /// Waits, and blocks the calling thread in the meantime.
    func waitOnThisThread() -> (any Error)? {
        while true {
            if let value { return value }
            let isFulfilled = DispatchSemaphore(value: 0)
            whenFulfilled { _ in isFulfilled.signal() }
            isFulfilled.wait()
        }
    }

    private func whenFulfilled(_ body: @escaping @Sendable ((any Error)?) -> Void) {
        let value = state.withLock { state -> (any Error)?? in
            switch state {
            case .fulfilled(let error): return .some(error)
            case .empty(let waiters):
                state = .empty(waiters + [body])
                return nil
            }
        }
        if let value { body(value) }
    }
}
