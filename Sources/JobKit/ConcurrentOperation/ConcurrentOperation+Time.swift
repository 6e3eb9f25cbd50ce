import Foundation
import Synchronization

extension ConcurrentOperation {
    /// The clock that times ``maximumRuntime``, ``perform(after:_:)`` and the delays of a retry.
    ///
    /// The default is a `ContinuousClock`. Setting the clock after the start traps.
    public final var clock: any Clock<Duration> {
        get { hooks.withLock { $0.timers.clock.value } ?? ContinuousClock() }
        set {
            guard !currentLifecycle.contains(.started) else {
                fatalError("JobKit: the clock of \(label) was set after its start.")
            }
            setFlag(.isTimed)
            // The old clock may be a user's, so it is released without the lock.
            let old = hooks.withLock { exchange(&$0.timers.clock, with: Rare(newValue)) }
            withExtendedLifetime(old) {}
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
        get { hooks.withLock { $0.timers[.runtime] } }
        set {
            set(.runtime, to: newValue)
            let state = currentLifecycle
            guard state.contains(.started), !state.contains(.finished) else { return }
            let entry = enteredMainAt.load(ordering: .relaxed)
            // If the entry is not recorded yet, the operation is just being started.
            let seconds = entry == 0 ? 0 : CoarseTime(rawValue: entry).wholeSeconds(to: .now)
            startWait(for: .limit(.runtime), ago: seconds)
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
        get { hooks.withLock { $0.timers[.stop] } }
        set {
            set(.stop, to: newValue)
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
        setFlag(.isTimed)
        startWait(for: .delay(body), delay)
        if callsNothingMore { endTimers(keepsStopTime: true) }
    }

    /// The time limit that has passed.
    var passedRuntime: Duration { hooks.withLock { $0.timers[.passedRuntime] } ?? .zero }

    private func set(_ limit: OperationTimers.Limit, to duration: Duration?) {
        setFlag(.isTimed)
        hooks.withLock { $0.timers[limit] = duration }
    }

    /// Records when the operation was asked to stop, and starts its stop time.
    func recordStopRequest() {
        stopRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
        // A job's stop time counts from its decision to end.
        if flags.contains(.isTimed), !isJob { watchStopTime() }
    }

    /// Waits for ``maximumStopTime`` to pass, if the operation was asked to stop.
    func watchStopTime() {
        guard let seconds = stopRequest?.wholeSeconds(to: .now) else { return }
        setFlag(.isTimed)
        startWait(for: .limit(.stop), ago: seconds)
    }

    /// Starts a delay, or the wait for a limit in place of an earlier one.
    ///
    /// The deadline is computed before this returns.
    ///
    /// - Parameters:
    ///   - event: The reason for the wait.
    ///   - delay: The duration of a delay.
    ///   - ago: How many seconds ago the time of a limit began. Only its first wait uses this.
    func startWait(for event: OperationTimers.Event, _ delay: Duration? = nil, ago: Int = 0) {
        let (clock, isQueued) = hooks.withLock { ($0.timers.clock.value, $0.queue != nil) }
        // With no lock held, because the clock may be a user's.
        let now = TimerStart(clock, ago: ago)
        let begun = hooks.withLock { $0.timers.waitBegins(for: event, delay, from: now) }
        begun.previous?.cancel()
        guard let time = begun.time else { return }
        // If a queue retains the operation anyway, the timer of a limit retains it, too, because a
        // weak reference costs more than the rest of a limit.
        let target: any TimerTarget =
            isQueued && delay == nil
            ? self : ClosureTimerTarget { [weak self] id in self?.timerPassed(id) }
        let wait = begun.start.wait(
            time,
            TimerService.Body(target: target, id: Int(begun.id)),
            executor: delay == nil ? nil : ThreadContext.current.pointee.taskExecutor
        )
        let isPending = hooks.withLock { !$0.isClosed && $0.timers.waitBegan(begun.id, wait) }
        if !isPending { wait?.cancel() }
    }

    /// Cancels all limits and delays, so that nothing that still waits is called.
    func endTimers(keepsStopTime: Bool = false) {
        for timer in hooks.withLock({ $0.timers.end() })
        where !(keepsStopTime && timer.isOf(.stop)) {
            timer.wait?.cancel()
        }
    }
}

extension ConcurrentOperation: TimerTarget {
    /// Acts when a limit or a delay has passed.
    ///
    /// Called on a thread that may be blocked.
    final func timerPassed(_ id: Int) {
        switch hooks.withLock({ $0.timers.waitPassed(UInt32(id)) }) {
        case .limit(.runtime)?: timedOut()
        case .limit(.stop)?: stopTimePassed()
        case .delay(let body)?: delayPassed(body)
        case .limit(.passedRuntime)?, nil: break
        }
    }
}

extension TimerStart.Wait {
    /// Calls `body` when a time has passed on a clock, unless the wait is cancelled before.
    init?(
        _ time: Duration,
        on clock: any Clock<Duration>,
        then body: @escaping @Sendable () -> Void
    ) {
        let target = ClosureTimerTarget { _ in body() }
        let wait = TimerStart(clock)
            .wait(
                time,
                TimerService.Body(target: target, id: 0),
                executor: ThreadContext.current.pointee.taskExecutor
            )
        guard let wait else { return nil }
        self = wait
    }
}
