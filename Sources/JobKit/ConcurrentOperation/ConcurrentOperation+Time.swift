import Foundation
import Synchronization

extension ConcurrentOperation {
    /// The clock that times ``maximumRuntime``, ``perform(after:_:)`` and the delays of a retry.
    ///
    /// The default is a `ContinuousClock`. Setting the clock after the start traps.
    public final var clock: any Clock<Duration> {
        get { hooks.withLock { $0.timers }?.clock ?? ContinuousClock() }
        set {
            guard !currentLifecycle.contains(.started) else {
                fatalError("JobKit: the clock of \(label) was set after its start.")
            }
            timers().clock = newValue
        }
    }

    /// How long the operation may run, or nil for no limit.
    ///
    /// The time is measured on the operation's ``clock`` from the start. A timeout decides the
    /// outcome at once as a failure with ``OperationTimeoutError``, sets `isCancelled` and calls
    /// ``didCancel()``. The operation finishes when its work has stopped. A cancelled operation no
    /// longer times out.
    ///
    /// The limit may be changed while the operation is executing, and still counts from the start.
    /// If neither a limit nor a clock was set before the start, the limit may be up to about a
    /// second longer.
    public final var maximumRuntime: Duration? {
        get { hooks.withLock { $0.timers }?[.runtime] }
        set {
            timers()[.runtime] = newValue
            let state = currentLifecycle
            guard state.contains(.started), !state.contains(.finished) else { return }
            let entry = enteredMainAt.load(ordering: .relaxed)
            // If the entry is not recorded yet, the operation is just being started.
            let seconds = entry == 0 ? 0 : CoarseTime(rawValue: entry).wholeSeconds(to: .now)
            timers().watch(.runtime, ago: seconds, timerTarget)
        }
    }

    /// How long the operation may take to stop after it was asked to, or nil for no limit.
    ///
    /// The time is measured on the operation's ``clock`` from the stop request.
    ///
    /// If an executing operation was cancelled or has timed out, and has not finished within this
    /// time, it is *abandoned*: it finishes at once, with the outcome that was already decided. Its
    /// permit is freed, its callbacks are called, and its dependents start. JobKit ignores
    /// everything that its work does later, including a late call of `finish`. If the work blocks a
    /// thread of a ``TaskQueue``, the queue replaces that thread.
    ///
    /// From then on, ``isAbandoned`` is true. Code that cannot be stopped may still run. This is
    /// the only case in which an operation finishes before its code has returned.
    ///
    /// For a job, this time limits how long it waits for its tasks. It counts from the moment at
    /// which the job begins to end because it was cancelled, has failed, has timed out or finishes
    /// early. When the time has passed, the job leaves every task that it still waits for and ends
    /// as usual. A cancelled job calls ``JobController/jobCancelled()``. A job is never abandoned,
    /// so it does not finish if its own code does not return.
    ///
    /// The time may be set at any moment before the operation has finished, and always counts from
    /// the stop request. If neither a time nor a clock was set before that request, the time may be
    /// up to about a second longer.
    public final var maximumStopTime: Duration? {
        get { hooks.withLock { $0.timers }?[.stop] }
        set {
            timers()[.stop] = newValue
            watchStopTime()
        }
    }

    /// Calls `body` when `delay` has passed on the operation's ``clock``.
    ///
    /// The deadline is computed before this method returns. If the operation finishes first, the
    /// body is dropped. Otherwise, it runs on a thread of JobKit, possibly at the same time as a
    /// call of `finish` on another thread. A job calls the body as one of its callbacks. A pending
    /// body does not keep the operation alive.
    public final func perform(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard !currentLifecycle.contains(.ending) else { return }
        let timers = timers()
        timers.sleep(for: delay) { [weak self] in self?.delayPassed(body) }
        if callsNothingMore { timers.cancelAll(keepsStopTime: true) }
    }

    /// The time limit that has passed.
    var passedRuntime: Duration { hooks.withLock { $0.timers }?.passedRuntime ?? .zero }

    /// Starts the time of ``maximumRuntime``, if there are timers.
    func startRuntime() {
        let (timers, isQueued) = hooks.withLock { ($0.timers, $0.queue != nil) }
        timers?.watch(.runtime, timerTarget(isQueued: isQueued))
    }

    /// Starts the stop time of an operation that was asked to stop, if it was started.
    func stopRequested(_ decision: OperationLifecycle.CancelAction) {
        switch decision {
        case .ignore, .announce: return
        case .announceAndSkipMain, .announceAndCallDidCancel: break
        }
        stopRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
        // A job's stop time counts from its decision to end.
        if flags.contains(.isTimed), !isJob { watchStopTime() }
    }

    /// Waits for ``maximumStopTime`` to pass, if the operation was asked to stop.
    func watchStopTime() {
        guard let seconds = stopRequest?.wholeSeconds(to: .now) else { return }
        timers().watch(.stop, ago: seconds, timerTarget)
    }

    /// The target of the limits' timers.
    ///
    /// If a queue retains the operation anyway, the timer retains it, too, because a weak reference
    /// costs more than the rest of a limit.
    private func timerTarget(isQueued: Bool) -> any TimerTarget {
        isQueued ? self : ClosureTimerTarget.weakly(self)
    }

    private var timerTarget: any TimerTarget {
        timerTarget(isQueued: hooks.withLock { $0.queue != nil })
    }

    /// Returns the timers, which are created on first use.
    private func timers() -> OperationTimers {
        setFlag(.isTimed)
        return hooks.withLock { hooks in
            if let timers = hooks.timers { return timers }
            let timers = OperationTimers()
            hooks.timers = timers
            return timers
        }
    }
}

extension ConcurrentOperation: TimerTarget {
    /// Acts when a limit has passed.
    ///
    /// Called on a thread that may be blocked.
    final func timerPassed(_ id: Int) {
        switch hooks.withLock({ $0.timers })?.passed(id) {
        case .runtime?: timedOut()
        case .stop?: stopTimePassed()
        case nil: break
        }
    }
}
