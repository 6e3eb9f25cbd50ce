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
        /// Whether no further wait may begin.
        var isOver = false
        /// The number of the current wait, or 0 for none.
        var waitID: UInt32 = 0
        /// Created when the time begins, so that a limit that is set later counts from then.
        var start: TimerStart?
        var wait: TimerStart.Wait?

        /// Begins a wait, if the limit has a duration and is not over.
        ///
        /// The caller has taken the earlier wait.
        mutating func waitBegins(_ id: UInt32, from made: TimerStart?) -> (Duration, TimerStart)? {
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

    /// The values that an operation needs only if it has more than a `maximumRuntime`.
    private struct Others {
        var clock = TimerClock.system(.continuous)
        var stop = LimitState()
        /// The maximum runtime that has passed first.
        ///
        /// A limit that is set later does not change it.
        var passedRuntime: Duration?
        /// The delays by number.
        ///
        /// The value is nil while the wait is being created.
        var delays: [UInt32: TimerStart.Wait?] = [:]
    }

    /// At most 120 bytes together with the object, because larger blocks take `malloc` longer than
    /// the rest of a limit.
    private struct State {
        var others = Rare<Others>()
        var runtime = LimitState()
        var lastID: UInt32 = 0

        var clock: TimerClock { others.value?.clock ?? .system(.continuous) }

        mutating func change<Result>(
            _ limit: Limit,
            _ change: (inout LimitState) -> Result
        ) -> Result {
            limit == .runtime
                ? change(&runtime) : others.change(orMake: Others()) { change(&$0.stop) }
        }

        mutating func changeOthers<Result>(_ change: (inout Others) -> Result) -> Result {
            others.change(orMake: Others(), change)
        }

        func duration(of limit: Limit) -> Duration? {
            limit == .runtime ? runtime.duration : others.value?.stop.duration
        }

        mutating func nextID() -> UInt32 {
            lastID = lastID == .max ? 1 : lastID + 1
            return lastID
        }
    }

    private let state = Guarded(State())

    var clock: any Clock<Duration> {
        get { state.withLock { $0.clock }.clock }
        set {
            // The old clock may be a user's, so it is released without the lock.
            let clock = TimerClock(newValue)
            let replaced = state.withLock { $0.changeOthers { exchange(&$0.clock, with: clock) } }
            withExtendedLifetime(replaced) {}
        }
    }

    /// The duration of a limit, or nil for no limit.
    subscript(limit: Limit) -> Duration? {
        get { state.withLock { $0.duration(of: limit) } }
        set { state.withLock { $0.change(limit) { $0.duration = newValue } } }
    }

    /// The maximum runtime that has passed.
    var passedRuntime: Duration? { state.withLock { $0.others.value?.passedRuntime } }

    // MARK: Delays

    /// Calls `body` after `delay` on the clock, unless ``cancelAll(keepsStopTime:)`` is called
    /// before.
    ///
    /// The deadline is computed before this returns.
    func sleep(for delay: Duration, then body: @escaping @Sendable () -> Void) {
        let reserved = state.withLock { state -> (id: UInt32, clock: TimerClock)? in
            guard !state.runtime.isOver else { return nil }
            let id = state.nextID()
            state.changeOthers { $0.delays[id] = .some(nil) }
            return (id, state.clock)
        }
        guard let (id, clock) = reserved else { return }
        let target = ClosureTimerTarget { [self] _ in if forget(id) { body() } }
        let wait = TimerStart(clock)
            .wait(
                delay,
                TimerService.Body(target: target, id: Int(id)),
                executor: ThreadContext.current.pointee.taskExecutor
            )
        let isPending = state.withLock { state in
            state.changeOthers { others in
                guard others.delays[id] != nil else { return false }
                others.delays[id] = .some(wait)
                return true
            }
        }
        if !isPending { wait.cancel() }
    }

    /// Removes a delay, and returns whether it was still pending.
    private func forget(_ id: UInt32) -> Bool {
        state.withLock { $0.changeOthers { $0.delays.removeValue(forKey: id) != nil } }
    }

    // MARK: Limits

    /// Starts waiting for a limit.
    ///
    /// This replaces an earlier wait.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - ago: How many seconds ago its time began. Only the first call uses this.
    ///   - target: Called when the limit has passed, with a number for ``passed(_:)``.
    func watch(_ limit: Limit, ago: Int = 0, _ target: any TimerTarget) {
        let clock = state.withLock { state in
            state.change(limit) { $0.start == nil } ? state.clock : nil
        }
        let made = clock.map { TimerStart($0, ago: ago) }
        let (previous, id, begun) = state.withLock { state in
            let id = state.nextID()
            return state.change(limit) { ($0.takeWait(), id, $0.waitBegins(id, from: made)) }
        }
        previous?.cancel()
        guard let (time, start) = begun else { return }
        let wait = start.wait(time, TimerService.Body(target: target, id: Int(id)))
        let isPending = state.withLock { state in
            state.change(limit) { limit in
                guard limit.waitID == id else { return false }
                limit.wait = wait
                return true
            }
        }
        if !isPending { wait.cancel() }
    }

    /// Ends the wait with the given number.
    ///
    /// - Returns: The limit that has passed, or nil if the wait was replaced or cancelled.
    func passed(_ id: Int) -> Limit? {
        state.withLock { state in
            if state.runtime.waitID == id {
                _ = state.runtime.takeWait()
                let passed = state.runtime.duration
                state.changeOthers { $0.passedRuntime = $0.passedRuntime ?? passed }
                return .runtime
            }
            let isStop = state.others.change { others in
                guard others.stop.waitID == id else { return false }
                _ = others.stop.takeWait()
                return true
            }
            return isStop == true ? .stop : nil
        }
    }

    // MARK: The end

    /// Cancels all waits, so that nothing that still waits is called.
    ///
    /// - Parameter keepsStopTime: Whether the stop time continues.
    func cancelAll(keepsStopTime: Bool = false) {
        let (runtime, others) = state.withLock { state in
            state.runtime.isOver = true
            let others = state.others.change { others in
                others.stop.isOver = others.stop.isOver || !keepsStopTime
                let stop = keepsStopTime ? nil : others.stop.takeWait()
                return (stop: stop, delays: exchange(&others.delays, with: [:]))
            }
            return (state.runtime.takeWait(), others)
        }
        runtime?.cancel()
        others?.stop?.cancel()
        for wait in others?.delays ?? [:] { wait.value?.cancel() }
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
