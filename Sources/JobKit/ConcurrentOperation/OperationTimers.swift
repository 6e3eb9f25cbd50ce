/// The clock, the limits and the delays of one operation, made only if it uses time.
final class OperationTimers: Sendable {
    /// A limit of an operation.
    enum Limit: Sendable {
        /// The maximum runtime, from the start. When it is over, no delay begins either.
        case runtime
        /// The maximum time to stop, from the request to stop.
        case stop
    }

    /// A time that may be changed while it runs, and counts from where it began.
    private struct LimitState {
        var duration: Duration?
        /// Made when the time begins, so that a limit that is set later counts from there.
        var start: TimerStart?
        /// The number of the wait that counts; 0 for none.
        var waitID = 0
        var wait: TimerStart.Wait?
        /// The first that has passed; a limit that is set later changes nothing.
        var passed: Duration?
        /// Nothing begins any longer.
        var isOver = false

        /// Ends the wait, which the caller cancels without the lock.
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
        /// The delays, by their numbers; nil while a wait is being made.
        var delays: [Int: TimerStart.Wait?] = [:]

        subscript(limit: Limit) -> LimitState {
            get { limit == .runtime ? runtime : stop }
            _modify { if limit == .runtime { yield &runtime } else { yield &stop } }
        }

        mutating func drawID() -> Int {
            lastID += 1
            return lastID
        }
    }

    private let state = Guarded(State())

    var clock: any Clock<Duration> {
        get { state.withLock { $0.clock }.clock }
        set {
            // The one before is a user's, and released without the lock.
            let replaced = state.withLock { exchange(&$0.clock, with: TimerClock(newValue)) }
            withExtendedLifetime(replaced) {}
        }
    }

    /// How long a limit is; nil for no limit.
    subscript(limit: Limit) -> Duration? {
        get { state.withLock { $0[limit].duration } }
        set { state.withLock { $0[limit].duration = newValue } }
    }

    /// The maximum runtime that has passed.
    var passedRuntime: Duration? { state.withLock { $0.runtime.passed } }

    // MARK: Delays

    /// Calls `body` after `delay` on the clock, unless ``cancelAll(keepsStopTime:)`` comes first.
    ///
    /// The deadline is computed before this returns.
    func sleep(for delay: Duration, then body: @escaping @Sendable () -> Void) {
        let reserved = state.withLock { state -> (id: Int, clock: TimerClock)? in
            guard !state.runtime.isOver else { return nil }
            let id = state.drawID()
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

    /// Returns whether the delay was still wanted.
    private func forget(_ id: Int) -> Bool {
        state.withLock { $0.delays.removeValue(forKey: id) != nil }
    }

    // MARK: Limits

    /// Waits for a limit to pass, in place of any wait before.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - ago: How long ago its time began; counts the first time.
    ///   - target: Called then with a number, for which ``passed(_:)`` returns the limit.
    func watch(_ limit: Limit, ago: Duration = .zero, _ target: any TimerTarget) {
        let clock = state.withLock { $0[limit].start == nil ? $0.clock : nil }
        let made = clock.map { TimerStart($0, ago: ago) }
        let (previous, watched) = state.withLock { state in
            if state[limit].start == nil { state[limit].start = made }
            let previous = state[limit].takeWait()
            if !state[limit].isOver, state[limit].duration != nil {
                state[limit].waitID = state.drawID()
            }
            return (previous, state[limit])
        }
        previous?.cancel()
        guard watched.waitID != 0, let time = watched.duration, let start = watched.start else {
            return
        }
        let wait = start.wait(time, TimerService.Body(target: target, id: watched.waitID))
        let isPending = state.withLock { state in
            guard state[limit].waitID == watched.waitID else { return false }
            state[limit].wait = wait
            return true
        }
        if !isPending { wait.cancel() }
    }

    /// A wait is over.
    ///
    /// - Returns: The limit that has passed, or nil if the wait no longer counts.
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

    /// Ends all waits: nothing that still waits is called.
    ///
    /// - Parameter keepsStopTime: Whether the time to stop continues.
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
