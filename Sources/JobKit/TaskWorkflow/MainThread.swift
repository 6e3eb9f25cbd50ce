import Dispatch
import Foundation

/// Lets workflows use the main thread, even during ``TaskWorkflow/startAndWait(context:timeout:)``.
final class MainThread: Sendable {
    private struct State {
        /// The workflows that have work for the main thread.
        var inbox = FIFO<TaskWorkflowShell>()
        /// The waits on the main thread's stack, the innermost last.
        var waits: [DispatchSemaphore] = []
    }

    static let shared = MainThread()

    private let state = Guarded(State())

    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on the main thread.
    ///
    /// After `dispatchMain()` has ended the first thread, as in a Linux program with an `async`
    /// main function, the main thread is the thread that serves the main queue.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs main-actor code on the main thread, and traps on any other thread.
    static func assumeMainActor<Value: Sendable>(
        for name: String,
        _ body: @MainActor () throws -> Value
    ) rethrows -> Value {
        guard isCurrent else {
            fatalError(
                "JobKit: \(name) belongs to the main actor, but was started on another thread. "
                    + "Add it to a workflow, or start it on the main thread."
            )
        }
        return try MainActor.assumeIsolated(body)
    }

    /// Makes the main thread drain a workflow soon.
    func wake(_ shell: TaskWorkflowShell) {
        let wait = state.withLock { state in
            state.inbox.append(shell)
            return state.waits.last
        }
        // The main queue does not run during a wait, and the wait may end before it sees the signal.
        wait?.signal()
        DispatchQueue.main.async { [self] in drainAll() }
    }

    private func drainAll() {
        while let shell = state.withLock({ $0.inbox.popFirst() }) {
            if shell.beginDraining() { shell.drain() }
        }
    }

    /// Drains workflows on the main thread, which is the calling thread, until one is done.
    ///
    /// The time in which workflows are drained does not count toward the limit.
    ///
    /// - Returns: Whether the workflow was done before the limit.
    func drain(waitingAtMost limit: Duration?, isDone: () -> Bool) -> Bool {
        let wait = DispatchSemaphore(value: 0)
        state.withLock { $0.waits.append(wait) }
        defer {
            // Only the innermost wait is signaled, so the outer one must serve the rest.
            let outer = state.withLock { state in
                state.waits.removeAll { $0 === wait }
                return state.inbox.isEmpty ? nil : state.waits.last
            }
            outer?.signal()
        }
        var remaining = limit
        while true {
            drainAll()
            if isDone() { return true }
            let start = ContinuousClock.now
            if !wait.wait(atMost: remaining) { return isDone() }
            remaining = remaining.map { $0 - start.duration(to: .now) }
        }
    }
}

extension DispatchSemaphore {
    /// Waits for a signal, and returns false if none came in time.
    func wait(atMost limit: Duration?) -> Bool {
        let deadline = limit.map { DispatchTime.now() + $0 / .seconds(1) }
        return wait(timeout: deadline ?? .distantFuture) == .success
    }
}
