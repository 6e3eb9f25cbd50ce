import Synchronization

/// Owns the only lock of a job's events that are read, and wakes their readers with it released.
final class JobEventsShell: Sendable {
    typealias Machine = JobEventsStateMachine<JobEvent, UnsafeContinuation<Void, Never>>

    fileprivate let machine = Guarded(Machine())

    /// Feeds one input to the machine, then does what it decided with the lock released.
    func send(_ input: (inout Machine) -> Machine.Decision) {
        let decision = machine.withLock { input(&$0) }
        for waiter in decision.resumed { waiter.resume() }
    }
}

/// A listener to a job's events, which are kept as long as it lives.
final class JobEventsListener: Sendable {
    private let shell: JobEventsShell
    private let number: Int
    /// The number of the first event since it listens.
    let start: Int

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - shell: Where the events are kept.
    ///   - limit: How many are kept; none where it is negative.
    init(to shell: JobEventsShell, limit: Int) {
        self.shell = shell
        (number, start) = shell.machine.withLock { $0.listenerAdded(limit: max(0, limit)) }
    }

    deinit { shell.send { $0.listenerLeft(number) } }

    func next(_ position: inout Int) -> JobEventsShell.Machine.Next {
        shell.machine.withLock { $0.next(at: &position, of: number) }
    }

    /// Waits until there is an event beyond a position, the job has ended, or the task is
    /// cancelled.
    func wait(
        _ wait: Int,
        beyond position: Int,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                shell.send { $0.waitBegan(wait, continuation, beyond: position) }
                // The handler may have been called before.
                if Task.isCancelled { shell.send { $0.waitCancelled(wait) } }
            }
        } onCancel: {
            shell.send { $0.waitCancelled(wait) }
        }
    }
}

/// The observer that passes the events of one job on to its listeners.
final class JobEventsFeed: JobObserver {
    let shell = JobEventsShell()
    private let isConnected = Atomic(false)

    deinit { shell.send { $0.jobEnded() } }

    func job(_ job: JobController, didRecord event: JobEvent) {
        shell.send {
            $0.eventRecorded(event, isLast: event.parentID == nil && event.kind == .finished)
        }
    }

    /// Receives the job's events from now on, and its end.
    ///
    /// Two threads may do it at once, and neither returns before it is done.
    func connect(to job: JobController) {
        guard !isConnected.load(ordering: .acquiring) else { return }
        job.addObserver(self)
        // The finish may have come before the feed was added, and a job that is cancelled before
        // its start has no such event.
        let waiter = FinishWaiter { [shell] in shell.send { $0.jobEnded() } }
        if !job.hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
        isConnected.store(true, ordering: .releasing)
    }
}
