import Dispatch
import Foundation

/// The main thread's part: one thing at a time, in order, inline where the main thread is at hand.
extension TaskWorkflowShell {
    private enum MainWork {
        case start(LaunchTask)
        case tell(TaskWorkflow)
    }

    /// A main-queue task has its turn; the job hands it over.
    func addOperation(_ operation: Operation) {
        guard let task = operation as? LaunchTask else { return }
        state.withLock { $0.mainTasks.append(task) }
        wakeMainThread()
    }

    /// Sees that the main thread looks at what is to be done there.
    func wakeMainThread() {
        let isServed = state.withLock { state in
            state.hasNews = true
            return state.isServing
        }
        if !isServed { MainThread.shared.summon(self) }
    }

    /// Makes the caller, on the main thread, the one who serves; it calls ``serveClaimed()`` next.
    func claimServing() -> Bool {
        state.withLock { state in
            guard !state.isServing else { return false }
            state.isServing = true
            return true
        }
    }

    func serve() {
        if claimServing() { serveClaimed() }
    }

    func serveClaimed() {
        while let work = nextWork() {
            switch work {
            case .start(let task):
                if !task.currentLifecycle.contains(.started) { task.start() }
            case .tell(let workflow):
                if let delegate {
                    MainThread.assumeMainActor(for: workflow.label) {
                        delegate.workflowDidFinish(workflow)
                    }
                }
                told()
            }
        }
    }

    /// What is to be done next; nil ends the serving.
    private func nextWork() -> MainWork? {
        while true {
            let (first, workflow) = state.withLock { state -> (LaunchTask?, TaskWorkflow?) in
                state.hasNews = false
                guard case .due(let workflow) = state.telling else {
                    return (state.mainTasks.first, nil)
                }
                return (state.mainTasks.first, workflow)
            }
            // `isReady` may be a user's code: it is asked without the lock.
            if let first, first.isReady || first.currentLifecycle.contains(.started) {
                _ = state.withLock { $0.mainTasks.popFirst() }
                return .start(first)
            }
            if let workflow {
                state.withLock { $0.telling = .none }
                return .tell(workflow)
            }
            let isIdle = state.withLock { state in
                if !state.hasNews { state.isServing = false }
                return !state.hasNews
            }
            if isIdle { return nil }
        }
    }

    // MARK: The end

    var isTold: Bool {
        state.withLock { if case .told = $0.telling { true } else { false } }
    }

    func workflowFinished(_ workflow: TaskWorkflow) {
        // Asked without the lock: the delegate's last owner may let it go meanwhile.
        let hasDelegate = delegate != nil
        let mustTell = state.withLock { state in
            state.record.workflowEnded(at: .now)
            guard hasDelegate || state.isAwaitedOnMainThread else { return false }
            state.telling = .due(workflow)
            return true
        }
        if mustTell { wakeMainThread() } else { told() }
    }

    private func told() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.telling = .told
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Waits until the delegate was told, or the workflow has finished and there is none.
    func waitUntilTold() async {
        await withCheckedContinuation { continuation in
            let isTold = state.withLock { state in
                if case .told = state.telling { return true }
                state.waiters.append { continuation.resume() }
                return false
            }
            if isTold { continuation.resume() }
        }
    }

    /// Waits for the end on the calling thread, which has just started the workflow or is about to.
    ///
    /// - Returns: Whether the delegate was told before the deadline.
    func wait(until deadline: DispatchTime, start: () -> Void) -> Bool {
        guard !MainThread.isCurrent else {
            state.withLock { $0.isAwaitedOnMainThread = true }
            start()
            return MainThread.shared.serve(until: deadline) { isTold }
        }
        let waiter = DispatchSemaphore(value: 0)
        state.withLock { $0.waiters.append { waiter.signal() } }
        start()
        return waiter.wait(timeout: deadline) == .success
    }
}
