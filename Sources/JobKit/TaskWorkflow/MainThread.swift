import Dispatch
import Foundation

/// Lets workflows use the main thread, even during ``TaskWorkflow/startAndWait(context:timeout:)``.
enum MainThread {
    /// The workflows that have work for the main thread.
    private static let inbox = Guarded(FIFO<TaskWorkflowShell>())
    /// Ends a wait of the main thread, which then checks whether there is work or the wait is over.
    ///
    /// Nested waits share it, because an outer one checks again after an inner one has returned.
    static let signal = DispatchSemaphore(value: 0)

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
    static func wake(_ shell: TaskWorkflowShell) {
        inbox.withLock { $0.append(shell) }
        // The main queue does not run during a wait, and the wait may end before it sees the signal.
        signal.signal()
        DispatchQueue.main.async { drainAll() }
    }

    private static func drainAll() {
        while let shell = inbox.withLock({ $0.popFirst() }) { shell.drain() }
    }

    /// Drains workflows on the main thread, which is the calling thread, until one is done.
    ///
    /// The time in which workflows are drained does not count toward the limit.
    ///
    /// - Returns: Whether the workflow was done before the limit.
    static func drain(waitingAtMost limit: Duration?, isDone: () -> Bool) -> Bool {
        // Signals that came while nothing waited are not needed, because the state is read below.
        while signal.wait(atMost: .zero) {}
        var remaining = limit
        while true {
            drainAll()
            if isDone() { return true }
            let start = ContinuousClock.now
            if !signal.wait(atMost: remaining) { return isDone() }
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
