import Foundation
import Synchronization

// Operation forces @unchecked. The body and the task stand behind a lock.
/// Runs an `async` closure as an operation.
///
/// `cancel()` cancels the closure's `Task`; the operation finishes when the closure has returned.
public final class AsyncOperation<Success: Sendable>: ResultOperation<Success>, @unchecked Sendable
{
    private enum State {
        case pending(@Sendable () async throws -> Success)
        case running(Task<Void, Never>)
        case cancelledEarly
        case ended
    }

    private let state: Guarded<State>

    /// Makes an operation that runs `body` in a `Task` of its own when it is started.
    ///
    /// - Parameters:
    ///   - name: The operation's name.
    ///   - body: The work; its value or error becomes the operation's. Released when it has ended,
    ///     or with the operation if it is never started.
    public init(name: String? = nil, _ body: @escaping @Sendable () async throws -> Success) {
        state = Guarded(.pending(body))
        super.init()
        self.name = name
    }

    /// Starts the closure's task.
    public override func main() {
        let body = state.withLock { state -> (@Sendable () async throws -> Success)? in
            guard case .pending(let body) = state else { return nil }
            state = .ended
            return body
        }
        // A cancel that overtook this call has taken the body.
        guard let body else { return finish() }
        let task = Task { [self] in
            do {
                finish(returning: try await body())
            } catch {
                finish(with: error)
            }
            state.withLock { $0 = .ended }
        }
        let isCancelledEarly = state.withLock { state in
            if case .cancelledEarly = state { return true }
            if !isFinished { state = .running(task) }
            return false
        }
        if isCancelledEarly || isCancelled { task.cancel() }
    }

    override func startedWithoutMain() {
        let released = state.withLock { state in
            defer { state = .ended }
            return state
        }
        withExtendedLifetime(released) { super.startedWithoutMain() }
    }

    /// Cancels the closure's task.
    public override func didCancel() {
        let before = state.withLock { state in
            let before = state
            if case .running = before { return before }
            state = .cancelledEarly
            return before
        }
        if case .running(let task) = before { task.cancel() }
    }
}
