import Dispatch
import Foundation

/// Brings workflows to the main thread, even while ``TaskWorkflow/startAndWait(context:timeout:)``
/// waits there.
final class MainThread: Sendable {
    private struct State {
        /// The workflows that have something to do on the main thread.
        var inbox = FIFO<TaskWorkflowShell>()
        /// The waits that stand on the main thread's stack, the innermost last.
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
    /// Where `dispatchMain()` has given the first thread up, as in a Linux program with an `async`
    /// main function, it is whatever thread serves the main queue.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs code of the main actor, on the main thread already; traps elsewhere.
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

    /// Makes the main thread serve a workflow soon.
    func summon(_ shell: TaskWorkflowShell) {
        let wait = state.withLock { state in
            state.inbox.append(shell)
            return state.waits.last
        }
        wait?.signal()
        DispatchQueue.main.async { [self] in serveAll() }
    }

    private func serveAll() {
        while let shell = state.withLock({ $0.inbox.popFirst() }) { shell.serve() }
    }

    /// Serves workflows on the main thread, which calls this, until one is done.
    ///
    /// The time in which workflows are served does not count.
    ///
    /// - Returns: Whether it was done before it had waited that long.
    func serve(waitingAtMost limit: Duration?, isDone: () -> Bool) -> Bool {
        let wait = DispatchSemaphore(value: 0)
        state.withLock { $0.waits.append(wait) }
        defer {
            let outer = state.withLock { state in
                state.waits.removeAll { $0 === wait }
                return state.inbox.isEmpty ? nil : state.waits.last
            }
            outer?.signal()
        }
        var remaining = limit
        while true {
            serveAll()
            if isDone() { return true }
            let start = ContinuousClock.now
            if !wait.wait(atMost: remaining) { return isDone() }
            remaining = remaining.map { $0 - start.duration(to: .now) }
        }
    }
}

extension DispatchSemaphore {
    /// Waits for a signal; returns false if none came in time.
    func wait(atMost limit: Duration?) -> Bool {
        let deadline = limit?.dispatchInterval.map { DispatchTime.now() + $0 }
        return wait(timeout: deadline ?? .distantFuture) == .success
    }
}
