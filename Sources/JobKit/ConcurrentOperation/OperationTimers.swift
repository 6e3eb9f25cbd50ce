/// The clock, the limits and the delays of one operation, created only if it uses time.
final class OperationTimers: Sendable {
    /// A time limit of an operation.
    enum Limit: Sendable {
        /// The maximum runtime, from the start.
        ///
        /// When it is over, no new delay begins.
        case runtime
        /// The maximum stop time, from the stop request.
        case stop
    }

    /// A limit whose duration may change while its time runs, and which counts from its beginning.
    private struct LimitState {
        var duration: Duration?
        /// Created when the time begins, so that a limit that is set later counts from then.
        var start: TimerStart?
        /// The number of the current wait, or 0 for none.
        var waitID = 0
        var wait: TimerStart.Wait?
        /// The duration that passed first.
        ///
        /// A limit that is set later does not change it.
        var passed: Duration?
        /// Whether no further wait may begin.
        var isOver = false

        /// Begins a wait, if the limit has a duration and is not over.
        ///
        /// The caller has taken the earlier wait.
        mutating func waitBegins(_ id: Int, from made: TimerStart?) -> (Duration, TimerStart)? {
            if start == nil { start = made }
            guard !isOver, let duration, let start else { return nil }
            waitID = id
            return (duration, start)
        }

        /// Ends the wait.
        ///
        /// The caller cancels it with the lock released.
        mutating func takeWait() -> TimerStart.Wait? {
            waitID = 0
            return wait.take()
        }
    }

    private struct State {
        var clock = TimerClock.service(.continuous)
        var runtime = LimitState()
        var stop = LimitState()
        var lastID = 0
        /// The delays by number.
        ///
        /// The value is nil while the wait is being created.
        var delays: [Int: TimerStart.Wait?] = [:]

        subscript(limit: Limit) -> LimitState {
            // A getter would copy the whole state for each property.
            _read { if limit == .runtime { yield runtime } else { yield stop } }
            _modify { if limit == .runtime { yield &runtime } else { yield &stop } }
        }

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }
    }

    private let state = Guarded(State())

    var clock: any Clock<Duration> {
        get { state.withLock { $0.clock }.clock }
        set {
            // The old clock may be a user's, so it is released without the lock.
            let replaced = state.withLock { exchange(&$0.clock, with: TimerClock(newValue)) }
            withExtendedLifetime(replaced) {}
        }
    }

    /// The duration of a limit, or nil for no limit.
    subscript(limit: Limit) -> Duration? {
        get { state.withLock { $0[limit].duration } }
        set { state.withLock { $0[limit].duration = newValue } }
    }

    /// The maximum runtime that has passed.
    var passedRuntime: Duration? { state.withLock { $0.runtime.passed } }

    // MARK: Delays

    /// Calls `body` after `delay` on the clock, unless ``cancelAll(keepsStopTime:)`` is called
    /// before.
    ///
    /// The deadline is computed before this returns.
    func sleep(for delay: Duration, then body: @escaping @Sendable () -> Void) {
        let reserved = state.withLock { state -> (id: Int, clock: TimerClock)? in
            guard !state.runtime.isOver else { return nil }
            let id = state.nextID()
            state.delays[id] = .some(nil)
            return (id, state.clock)
        }
        guard let (id, clock) = reserved else { return }
        let target = ClosureTimerTarget { [self] in if forget($0) { body() } }
        let wait = TimerStart(clock)
            .wait(
                delay,
                TimerService.Body(target: target, id: id),
                executor: ThreadContext.current.pointee.taskExecutor
            )
        let isPending = state.withLock { state in
            guard state.delays[id] != nil else { return false }
            state.delays[id] = .some(wait)
            return true
        }
        if !isPending { wait.cancel() }
    }

    /// Removes a delay, and returns whether it was still pending.
    private func forget(_ id: Int) -> Bool {
        state.withLock { $0.delays.removeValue(forKey: id) != nil }
    }

    // MARK: Limits

    /// Starts waiting for a limit.
    ///
    /// This replaces an earlier wait.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - ago: How long ago its time began. Only the first call uses this.
    ///   - target: Called when the limit has passed, with a number for ``passed(_:)``.
    func watch(_ limit: Limit, ago: Duration = .zero, _ target: any TimerTarget) {
        let clock = state.withLock { $0[limit].start == nil ? $0.clock : nil }
        let made = clock.map { TimerStart($0, ago: ago) }
        let (previous, id, begun) = state.withLock { state in
            let (previous, id) = (state[limit].takeWait(), state.nextID())
            return (previous, id, state[limit].waitBegins(id, from: made))
        }
        previous?.cancel()
        guard let (time, start) = begun else { return }
        let wait = start.wait(time, TimerService.Body(target: target, id: id))
        let isPending = state.withLock { state in
            guard state[limit].waitID == id else { return false }
            state[limit].wait = wait
            return true
        }
        if !isPending { wait.cancel() }
    }

    /// Ends the wait with the given number.
    ///
    /// - Returns: The limit that has passed, or nil if the wait was replaced or cancelled.
    func passed(_ id: Int) -> Limit? {
        state.withLock { state in
            for limit in [Limit.runtime, .stop] where state[limit].waitID == id {
                _ = state[limit].takeWait()
                state[limit].passed = state[limit].passed ?? state[limit].duration
                return limit
            }
            return nil
        }
    }

    // MARK: The end

    /// Cancels all waits, so that nothing that still waits is called.
    ///
    /// - Parameter keepsStopTime: Whether the stop time continues.
    func cancelAll(keepsStopTime: Bool = false) {
        let (runtime, stop, delays) = state.withLock { state in
            state.runtime.isOver = true
            if !keepsStopTime { state.stop.isOver = true }
            let delays = state.delays.isEmpty ? [:] : exchange(&state.delays, with: [:])
            return (
                state.runtime.takeWait(), keepsStopTime ? nil : state.stop.takeWait(), delays
            )
        }
        runtime?.cancel()
        stop?.cancel()
        for wait in delays.values { wait?.cancel() }
    }

    /// Calls `body` when a time has passed on a clock, unless the wait is cancelled before.
    static func wait(
        _ time: Duration,
        on clock: any Clock<Duration>,
        then body: @escaping @Sendable () -> Void
    ) -> TimerStart.Wait {
        let target = ClosureTimerTarget { _ in body() }
        return TimerStart(TimerClock(clock))
            .wait(
                time,
                TimerService.Body(target: target, id: 0),
                executor: ThreadContext.current.pointee.taskExecutor
            )
    }
}
