import Foundation
import Synchronization

extension ConcurrentOperation {
    /// The clock that times ``maximumRuntime``, ``perform(after:_:)`` and the delays of a retry.
    ///
    /// A `ContinuousClock` unless set before the start. Setting it later traps.
    public final var clock: any Clock<Duration> {
        get { hooks.withLock { $0.timers }?.clock ?? ContinuousClock() }
        set {
            guard !currentLifecycle.contains(.started) else {
                fatalError("JobKit: the clock of \(label) was set after its start.")
            }
            timers().clock = newValue
        }
    }

    /// How long the operation may run, measured on its ``clock`` from the start; nil for no limit.
    ///
    /// An overrun settles the outcome at once as a failure with ``OperationTimeoutError``, sets
    /// `isCancelled` and calls ``didCancel()``. The operation finishes when its work has stopped.
    /// A cancelled operation no longer overruns. The limit may be changed while the operation is
    /// executing; it still counts from the start. If neither a limit nor a clock was set before the
    /// start, the limit may be up to about a second longer.
    public final var maximumRuntime: Duration? {
        get { hooks.withLock { $0.timers }?[.runtime] }
        set {
            timers()[.runtime] = newValue
            let state = currentLifecycle
            guard state.contains(.started), !state.contains(.finished) else { return }
            let entry = enteredMainAt.load(ordering: .relaxed)
            // Just being started, if the entry is not noted yet.
            let seconds = entry == 0 ? 0 : CoarseTime(rawValue: entry).wholeSeconds(to: .now)
            startRuntime(secondsAgo: seconds)
        }
    }

    /// How long the operation may take to stop, measured on its ``clock`` from the stop request;
    /// nil for as long as it takes.
    ///
    /// If an executing operation was cancelled or has timed out, and has not finished within this
    /// time, it is *abandoned*: it finishes at once, with the outcome that was already decided. Its
    /// permit is freed, its callbacks are called, and its dependents start. JobKit ignores
    /// everything that its work does later, including a late call of `finish`. If the work blocks a
    /// thread of a ``TaskQueue``, the queue replaces that thread.
    ///
    /// ``isAbandoned`` is true from then on. Code that cannot be stopped may still run: this is the
    /// one case in which an operation has finished before its code has returned.
    ///
    /// For a job, the time limits the wait for its tasks. It counts from the moment at which the
    /// job begins to end: it was cancelled, has failed, has timed out or finishes early. When the
    /// time has passed, the job leaves every task that it still waits for and ends as usual. A
    /// cancelled job calls ``JobController/jobCancelled()``. A job is never abandoned: if its own
    /// code does not return, it does not finish.
    ///
    /// The time may be set whenever the operation has not finished, and always counts from the stop
    /// request. If neither a time nor a clock was set before that request, it may be up to about a
    /// second longer.
    public final var maximumStopTime: Duration? {
        get { hooks.withLock { $0.timers }?[.stop] }
        set {
            timers()[.stop] = newValue
            watchStopTime()
        }
    }

    /// Calls `body` when `delay` has passed on the operation's ``clock``.
    ///
    /// The deadline is computed before this method returns. The body is dropped if the operation
    /// finishes first. It runs on a thread of JobKit, and may run at the same time as a `finish`
    /// that another thread calls. A job calls it as one of its callbacks. A pending body does not
    /// keep the operation alive.
    public final func perform(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard !currentLifecycle.contains(.ending) else { return }
        let timers = timers()
        timers.sleep(for: delay) { [weak self] in self?.delayPassed(body) }
        if callsNothingMore { timers.cancelAll(keepsStopTime: true) }
    }

    /// The limit that was overrun.
    var overrunLimit: Duration { hooks.withLock { $0.timers }?.passedRuntime ?? .zero }

    /// Starts the time of ``maximumRuntime``, or begins to wait for a new limit.
    ///
    /// - Parameter secondsAgo: How long ago the operation was started, if known.
    func startRuntime(secondsAgo: Int = 0) {
        timers().watch(.runtime, ago: .seconds(secondsAgo), timerTarget)
    }

    /// The operation was just told to stop; its time to do so begins if it was started.
    func stopRequested(_ decision: OperationLifecycle.Cancel) {
        switch decision {
        case .ignore, .announce: return
        case .announceAndSkipMain, .announceAndTell: break
        }
        stopRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
        // A job's time counts from the decision about its end.
        if currentLifecycle.contains(.isTimed), !isJob { watchStopTime() }
    }

    /// Waits for ``maximumStopTime`` to pass, if the operation was asked to stop.
    func watchStopTime() {
        guard let seconds = stopRequest?.wholeSeconds(to: .now) else { return }
        timers().watch(.stop, ago: .seconds(seconds), timerTarget)
    }

    /// The operation, retained until the limit passes if its queue retains it anyway: a weak
    /// reference costs more than all the rest of a limit.
    private var timerTarget: any TimerTarget {
        hooks.withLock { $0.queue != nil } ? self : ClosureTimerTarget.weakly(self)
    }

    /// Makes the timers when they are first used.
    private func timers() -> OperationTimers {
        note(.isTimed)
        return hooks.withLock { hooks in
            if let timers = hooks.timers { return timers }
            let timers = OperationTimers()
            hooks.timers = timers
            return timers
        }
    }
}

extension ConcurrentOperation: TimerTarget {
    /// A limit has passed; called on a thread that may be blocked.
    final func timerPassed(_ id: Int) {
        switch hooks.withLock({ $0.timers })?.passed(id) {
        case .runtime?: overran()
        case .stop?: stopTimePassed()
        case nil: break
        }
    }
}
