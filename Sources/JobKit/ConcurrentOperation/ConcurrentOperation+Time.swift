import Foundation
import Synchronization

extension ConcurrentOperation {
    /// The clock that times ``maximumRuntime``, ``perform(after:_:)`` and the delays of a retry.
    ///
    /// `ContinuousClock()` unless set before the start; setting it later traps.
    public final var clock: any Clock<Duration> {
        get { hooks.withLock { $0.timers }?.clock ?? ContinuousClock() }
        set {
            guard !currentLifecycle.contains(.started) else {
                fatalError("JobKit: the clock of \(label) was set after its start.")
            }
            timers().clock = newValue
        }
    }

    /// How long the operation may run, measured on its ``clock`` from the start; nil: any time.
    ///
    /// An overrun settles the outcome at once as a failure with ``OperationTimedOut``, sets
    /// `isCancelled` and calls ``didCancel()``; the operation finishes when its work has stopped.
    /// A cancelled operation no longer overruns. May be changed while the operation is executing:
    /// the limit set last counts. It is measured from the start, and up to about a second longer where
    /// neither a limit nor a clock was set before the start.
    public final var maximumRuntime: Duration? {
        get { hooks.withLock { $0.timers }?.limit }
        set {
            timers().limit = newValue
            let state = currentLifecycle
            guard state.contains(.entered), !state.contains(.finished) else { return }
            let entry = CoarseTime(rawValue: entry.load(ordering: .relaxed))
            startRuntime(secondsAgo: entry.wholeSeconds(to: .now))
        }
    }

    /// Calls `body` when `delay` has passed on the operation's ``clock``.
    ///
    /// The deadline is taken before this returns. The body is dropped if the operation finishes
    /// first. It runs on a thread of Swift concurrency, which it must not block; that of a job is
    /// one of the job's callbacks. The operation does not keep itself alive for it.
    public final func perform(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard !currentLifecycle.contains(.ending) else { return }
        let timers = timers()
        timers.sleep(for: delay) { [weak self] in self?.delayPassed(body) }
        if currentLifecycle.contains(.finished) { timers.cancelAll() }
    }

    /// The limit that was overrun.
    var overrunLimit: Duration { hooks.withLock { $0.timers }?.overrunLimit ?? .zero }

    /// Starts the time of ``maximumRuntime``, or begins to wait for a new limit.
    ///
    /// - Parameter secondsAgo: How long ago the operation was started, if that is known.
    func startRuntime(secondsAgo: Int = 0) {
        let timers = timers()
        timers.operationStarted(ago: .seconds(secondsAgo))
        timers.watchLimit { [weak self] in self?.overran() }
    }

    /// Makes the timers when they are first used.
    private func timers() -> OperationTimers {
        lifecycle.bitwiseOr(OperationLifecycle.isTimed.rawValue, ordering: .acquiringAndReleasing)
        return hooks.withLock { hooks in
            if let timers = hooks.timers { return timers }
            let timers = OperationTimers()
            hooks.timers = timers
            return timers
        }
    }
}
